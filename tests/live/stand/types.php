<?php // must-use plugin of a site of the stand: types, taxonomies and fields, for the tests of a site's schema
// They exist while the file `types` is in the site's folder. Each word in it takes something away again:
// `no-book`, `no-event`, `no-chapter`, `no-genre`, `no-isbn`, `no-leather`. With `moved`, the route of books is another
// one, and with `elsewhere` the addresses of places and chapters.
$given = @file_get_contents(dirname(ABSPATH, 3) . '/types');
if ($given === false) {
    return;
}
$words = preg_split('/\s+/', $given);
$has = fn ($name) => !in_array("no-$name", $words, true);

// As the controllers of older plug-ins, this one does not say that it takes batches.
class Event_Controller extends WP_REST_Posts_Controller
{
    protected $allow_batch = null;
}

add_action('init', function () use ($has, $words) {
    $types = [
        'book' => [
            'supports' => ['title', 'editor', 'author', 'excerpt', 'thumbnail', 'page-attributes', 'custom-fields'],
            'rest_base' => in_array('moved', $words, true) ? 'library' : 'books',
        ],
        'chapter' => ['supports' => ['title', 'editor', 'page-attributes', 'custom-fields'],
            'rest_base' => 'chapters', 'hierarchical' => true],
        'place' => ['rest_base' => 'places', 'rest_namespace' => 'atlas/v1'],
        'event' => ['rest_base' => 'events', 'capability_type' => 'event', 'map_meta_cap' => true,
            'rest_controller_class' => 'Event_Controller'],
        'memo' => ['show_in_rest' => false],
    ];
    if (in_array('elsewhere', $words, true)) {
        $types['place']['rewrite'] = ['slug' => 'atlas/map'];
        $types['chapter']['rewrite'] = ['slug' => 'read'];
    }
    foreach ($types as $name => $own) {
        $common = ['public' => true, 'show_in_rest' => true, 'supports' => ['title', 'editor', 'custom-fields']];
        $has($name) && register_post_type($name, ['label' => ucfirst($name)] + $own + $common);
    }
    // Only the administrator has the rights of events, as a plug-in gives them: the database keeps them.
    if (($events = get_post_type_object('event')) && !get_role('administrator')->has_cap('edit_events')) {
        array_map([get_role('administrator'), 'add_cap'], array_unique(array_values((array) $events->cap)));
    }
    $tree = ['public' => true, 'show_in_rest' => true, 'hierarchical' => true, 'rest_base' => 'genres'];
    $has('genre') && register_taxonomy('genre', ['book'], $tree);
    register_taxonomy('mood', ['book', 'post'], ['public' => true, 'show_in_rest' => true]);

    $may = fn () => current_user_can('edit_posts');
    foreach (['_yoast_wpseo_title', '_yoast_wpseo_metadesc'] as $key) {
        register_meta('post', $key, ['single' => true, 'type' => 'string', 'default' => '',
            'show_in_rest' => true, 'auth_callback' => $may]);
    }
    $plain = fn ($type, ...$more) =>
        ['single' => true, 'type' => $type, 'show_in_rest' => true] + ($more ? ['default' => $more[0]] : []);
    // WordPress registers a field with a default only if its schema takes the default.
    $described = fn ($type, $schema, ...$more) =>
        ['show_in_rest' => ['schema' => $schema]] + $plain($type, ...$more);
    $size = ['width' => ['type' => 'integer', 'minimum' => 1], 'height' => ['type' => 'integer']];
    $fields = [
        'isbn' => $plain('string'),
        'price' => $plain('number'),
        'copies' => $plain('integer'),
        'in_print' => $plain('boolean'),
        'keywords' => ['single' => false, 'type' => 'string', 'show_in_rest' => true],
        'binding' => $described(
            'string', ['enum' => ['paper', 'cloth', ...($has('leather') ? ['leather'] : [])]], 'paper'
        ),
        'size' => $described('object', ['properties' => $size, 'additionalProperties' => false], []),
        'reviews' => $described('array', ['items' => ['type' => 'string'], 'maxItems' => 3], []),
        'published_on' => $described('string', ['format' => 'date-time']),
        'shop' => $described('string', ['format' => 'uri']),
        // Nobody may write a protected key that has no rule of its own.
        '_internal' => $plain('string'),
        'hidden_key' => ['single' => true, 'type' => 'string'],
    ];
    foreach ($fields as $key => $arguments) {
        $has($key) && register_post_meta('book', $key, $arguments);
    }
});

// Advanced Custom Fields adds such an object: null is an empty field, and other keys are ignored. It keeps each field
// in a row of its own, beside a row with the name of the field's definition.
$acf = [
    'subtitle' => ['type' => ['string', 'null'], 'title' => 'Subtitle'],
    'pages' => ['type' => ['integer', 'null'], 'minimum' => 1],
    'cover' => ['type' => ['integer', 'null'], 'title' => 'Cover', 'description' => 'An image'],
];
$value = fn ($text, $rules) => in_array('integer', $rules['type'], true) ? (int) $text : $text;
add_action('rest_api_init', fn () => register_rest_field('book', 'acf', [
    'schema' => ['type' => 'object', 'properties' => $acf],
    'get_callback' => function ($record) use ($acf, $value) {
        foreach ($acf as $key => $rules) {
            $row = get_post_meta($record['id'], $key);
            $found[$key] = $row ? $value($row[0], $rules) : null;
        }
        return $found;
    },
    'update_callback' => function ($given, $record) use ($acf) {
        foreach (array_intersect_key($given, $acf) as $key => $one) {
            delete_post_meta($record->ID, $key);
            if ($one !== null) {
                add_post_meta($record->ID, $key, wp_slash($one), true);
                update_post_meta($record->ID, "_$key", "field_$key");
            }
        }
    },
]));
