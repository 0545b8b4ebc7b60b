<?php
/*
 * Makes a WordPress the stage of a rehearsal: it gets the records, terms and users of the site with their ids.
 *
 * For the interface, the site has the address of the real one, so every response has the links of the real one.
 * A visitor gets the pages with the address of the stage.
 */

const PRESSYNC_NO_DATE = '0000-00-00 00:00:00';

// A stage reaches nobody: it opens no connection, sends no mail, and does nothing by itself.
add_filter('pre_http_request', fn() => new WP_Error('stage', 'A stage opens no connections.'), PHP_INT_MAX, 0);
add_filter('pre_wp_mail', '__return_true', PHP_INT_MAX);
add_filter('automatic_updater_disabled', '__return_true', PHP_INT_MAX);
defined('DISABLE_WP_CRON') || define('DISABLE_WP_CRON', true);

// Playground puts the address into it that a visitor wants, and WordPress shows the home page there instead of an error.
$_SERVER['PHP_SELF'] = $_SERVER['SCRIPT_NAME'];

add_filter('wp_is_application_passwords_available', '__return_true', PHP_INT_MAX);
// The users of a stage are those whom the user of the real site can see.
add_filter('rest_user_query', function ($query) {
    unset($query['has_published_posts']);
    return $query;
}, PHP_INT_MAX);

function pressync_given(string $file): array
{
    $path = __DIR__ . "/$file";
    return is_file($path) ? json_decode(file_get_contents($path), true) ?? [] : [];
}

/** The types and taxonomies of the real site, as its committed schema has them. */
function pressync_schema(): array
{
    static $schema = null;
    return $schema ??= pressync_given('schema.json') + ['types' => [], 'taxonomies' => []];
}

/** Whether a field has several rows: a list without a default. */
function pressync_has_several(array $schema): bool
{
    return ($schema['type'] ?? '') === 'array' && !array_key_exists('default', $schema);
}

/** The controller of a type that takes no batches. */
class Pressync_Unbatched extends WP_REST_Posts_Controller
{
    protected $allow_batch = null;
}

/** The supports by which WordPress shows a field. */
const PRESSYNC_SUPPORTS = [
    'title' => 'title', 'content' => 'editor', 'excerpt' => 'excerpt', 'author' => 'author', 'format' => 'post-formats',
    'featured_media' => 'thumbnail', 'menu_order' => 'page-attributes', 'comment_status' => 'comments',
];

// A plugin of the site that is mounted registers its types itself.
add_action('init', function () {
    ['types' => $types, 'taxonomies' => $taxonomies] = pressync_schema();
    $bases = array_filter(pressync_given('bases.json'));
    foreach ($types as $name => $type) {
        [, $space, $version, $base] = explode('/', $type['route']);
        $plural = preg_match('/^edit_(.+)$/', $type['right'] ?? '', $found) ? $found[1] : 'posts';
        $known = ['posts' => 'post', 'pages' => 'page'];
        post_type_exists($name) || register_post_type($name, [
            'label' => $name, 'public' => true, 'show_in_rest' => true, 'map_meta_cap' => true,
            'hierarchical' => $type['hierarchical'] ?? false, 'rest_base' => $base, 'rest_namespace' => "$space/$version",
            'capability_type' => [$known[$plural] ?? "one_$plural", $plural],
            'supports' => [...array_intersect_key(PRESSYNC_SUPPORTS, array_flip($type['fields'] ?? [])), 'custom-fields'],
            'rewrite' => isset($bases[$name]) ? ['slug' => ltrim($bases[$name], '/'), 'with_front' => false] : true,
        ] + (empty($type['batch']) ? ['rest_controller_class' => 'Pressync_Unbatched'] : []));
        array_map(fn($field, $schema) => pressync_register($name, $field, $schema),
            array_keys($type['meta'] ?? []), $type['meta'] ?? []);
    }
    foreach ($taxonomies as $name => $taxonomy) {
        [, $space, $version, $base] = explode('/', $taxonomy['route']);
        $using = array_keys(array_filter($types, fn($type) => in_array($name, $type['taxonomies'] ?? [], true)));
        taxonomy_exists($name) || register_taxonomy($name, $using, [
            'label' => $name, 'public' => true, 'show_in_rest' => true, 'rest_base' => $base,
            'hierarchical' => $taxonomy['hierarchical'] ?? false, 'rest_namespace' => "$space/$version",
        ]);
    }
}, PHP_INT_MAX - 1);

function pressync_register(string $type, string $key, array $schema): void
{
    if (registered_meta_key_exists('post', $key, $type) || registered_meta_key_exists('post', $key)) {
        return;
    }
    $several = pressync_has_several($schema);
    $schema = $several ? $schema['items'] ?? [] : $schema;
    $more = ['show_in_rest' => ['schema' => $schema], 'auth_callback' => '__return_true', 'single' => !$several];
    // WordPress shows an empty default for a field that has none.
    $default = empty($schema['default']) ? [] : ['default' => $schema['default']];
    register_post_meta($type, $key, $more + $default + ['type' => $schema['type'] ?? 'string']);
}

// The fields of Advanced Custom Fields, where the plugin itself is not mounted.
add_action('rest_api_init', function () {
    foreach (pressync_schema()['types'] as $name => $type) {
        $fields = $type['acf'] ?? [];
        if (!$fields || isset($GLOBALS['wp_rest_additional_fields'][$name]['acf'])) {
            continue;
        }
        $stored = fn($id) => get_post_meta($id, 'pressync_acf', true) ?: [];
        register_rest_field($name, 'acf', [
            'schema' => ['type' => 'object', 'properties' => $fields],
            'get_callback' => fn($record) => $stored($record['id']) + array_fill_keys(array_keys($fields), null),
            'update_callback' => fn($given, $record) => update_post_meta($record->ID, 'pressync_acf',
                wp_slash(array_intersect_key($given, $fields) + $stored($record->ID))),
        ]);
    }
}, PHP_INT_MAX);

/** The address of the real site; "" before the stage has been filled. WordPress asks hundreds of times. */
function pressync_home(): string
{
    static $home = null;
    return $home ??= pressync_given('address.json')['home'] ?? '';
}

function pressync_is_interface(): bool
{
    return isset($_GET['rest_route']) || str_contains($_SERVER['REQUEST_URI'] ?? '', '/wp-json/');
}

foreach (['option_home', 'option_siteurl'] as $pressync_filter) {
    add_filter($pressync_filter, function ($own) {
        return pressync_is_interface() && pressync_home() ? pressync_home() : $own;
    }, PHP_INT_MAX);
}

add_action('template_redirect', function () {
    $real = pressync_home();
    $own = home_url();
    $pairs = [$real => $own, str_replace('/', '\/', $real) => str_replace('/', '\/', $own)];
    $real && ob_start(fn($page) => strtr($page, $pairs));
}, 0);

add_action('init', function () {
    $key = $_SERVER['HTTP_X_PRESSYNC_STAGE'] ?? '';
    $given = $key ? pressync_given('stage.json') : [];
    if (!$given || !hash_equals($given['key'], $key)) {
        return;
    }
    set_time_limit(0);
    header('Content-Type: application/json');
    try {
        $password = (new Pressync_Stage($given))->fill();
        echo json_encode(['password' => $password]);
    } catch (Throwable $error) {
        http_response_code(500);
        echo json_encode(['error' => $error->getMessage()]);
    }
    exit;
}, PHP_INT_MAX);

class Pressync_Stage
{
    public function __construct(private array $given) {}

    /** Replaces everything with what is given; gives the password of the user who syncs. */
    public function fill(): string
    {
        global $wpdb;
        $wpdb->query('START TRANSACTION');
        $this->extensions();
        foreach (['posts', 'postmeta', 'terms', 'term_taxonomy', 'term_relationships', 'termmeta', 'comments'] as $table) {
            $wpdb->query("DELETE FROM {$wpdb->$table}");
        }
        $this->users();
        $this->rights();
        $this->terms();
        $this->options();
        foreach ($this->given['media'] as $row) {
            $this->medium($row);
        }
        $sticky = [];
        foreach ($this->given['records'] as $row) {
            $this->record($row);
            $row['sticky'] && $sticky[] = $row['id'];
        }
        update_option('sticky_posts', $sticky);
        foreach (['category', 'post_tag', ...array_keys(pressync_schema()['taxonomies'])] as $taxonomy) {
            $terms = get_terms(['taxonomy' => $taxonomy, 'fields' => 'tt_ids', 'hide_empty' => false]);
            // An empty list would be an error of SQL, which undoes everything.
            $terms && wp_update_term_count_now($terms, $taxonomy);
        }
        $this->after($this->given['last']);
        $wpdb->query('COMMIT');
        $wanted = count($this->given['records']) + count($this->given['media']);
        $stored = (int) $wpdb->get_var("SELECT COUNT(*) FROM $wpdb->posts");
        if ($stored < $wanted) {
            throw new Exception("it stored $stored of $wanted records. $wpdb->last_error");
        }
        wp_cache_flush();
        flush_rewrite_rules(false);
        $name = ['name' => 'pressync rehearse'];
        return WP_Application_Passwords::create_new_application_password($this->given['user'], $name)[0];
    }

    private function extensions(): void
    {
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        foreach ($this->given['plugins'] as $plugin) {
            $failed = activate_plugin($plugin);
            if (is_wp_error($failed)) {
                throw new Exception("the plugin $plugin: " . $failed->get_error_message());
            }
        }
        if ($this->given['theme']) {
            $theme = wp_get_theme($this->given['theme']);
            if ($theme->errors()) {
                throw new Exception("the theme {$this->given['theme']}: " . $theme->errors()->get_error_message());
            }
            switch_theme($this->given['theme']);
        }
    }

    private function options(): void
    {
        global $wp_rewrite;
        foreach ($this->given['options'] as $name => $value) {
            update_option($name, $value);
        }
        update_option('page_on_front', $this->given['front']);
        update_option('show_on_front', $this->given['front'] ? 'page' : 'posts');
        $wp_rewrite->set_permalink_structure($this->given['permalinks']);
    }

    private function users(): void
    {
        global $wpdb;
        if (!$this->given['users']) {
            return;
        }
        $wpdb->query("DELETE FROM $wpdb->users");
        $wpdb->query("DELETE FROM $wpdb->usermeta");
        foreach ($this->given['users'] as $row) {
            $this->insert($wpdb->users, [
                'ID' => $row['id'],
                'user_login' => $row['login'],
                'user_pass' => '*',
                'user_nicename' => $row['slug'],
                'user_email' => $row['email'],
                'display_name' => $row['name'],
                'user_registered' => gmdate('Y-m-d H:i:s'),
            ]);
            (new WP_User($row['id']))->set_role($row['role']);
        }
    }

    private function terms(): void
    {
        global $wpdb;
        foreach ($this->given['terms'] as $row) {
            $this->insert($wpdb->terms, ['term_id' => $row['id'], 'name' => $row['name'], 'slug' => $row['slug']]);
            $this->insert($wpdb->term_taxonomy, [
                'term_taxonomy_id' => $row['id'],
                'term_id' => $row['id'],
                'taxonomy' => $row['taxonomy'],
                'parent' => $row['parent'],
                'description' => $row['description'],
            ]);
            clean_term_cache($row['id'], $row['taxonomy']);
        }
        foreach (array_unique(array_column($this->given['terms'], 'taxonomy')) as $taxonomy) {
            delete_option("{$taxonomy}_children");
        }
    }

    /** Lets administrators and editors use the site's own types: the schema has no roles. */
    private function rights(): void
    {
        foreach (array_keys(pressync_schema()['types']) as $name) {
            foreach (array_unique(array_values((array) get_post_type_object($name)->cap)) as $right) {
                get_role('administrator')->add_cap($right);
                get_role('editor')->add_cap($right);
            }
        }
    }

    private function medium(array $row): void
    {
        $this->post($row, [
            'post_type' => 'attachment',
            'post_status' => 'inherit',
            'post_title' => $row['title'],
            'post_mime_type' => $row['mime_type'],
        ]);
        add_post_meta($row['id'], '_wp_attached_file', wp_slash($row['file']));
        $row['alt_text'] && add_post_meta($row['id'], '_wp_attachment_image_alt', wp_slash($row['alt_text']));
    }

    private function record(array $row): void
    {
        global $wpdb;
        $id = $row['id'];
        $this->post($row, [
            'post_type' => $row['kind'],
            'post_status' => $row['status'],
            'post_title' => $row['title'],
            'post_content' => $row['content'],
            'post_excerpt' => $row['excerpt'],
            'post_password' => $row['password'],
            'post_parent' => $row['parent'],
            'menu_order' => $row['menu_order'],
            'comment_status' => $row['comment_status'],
            'ping_status' => $row['ping_status'],
        ] + ($row['floating'] ? ['post_date_gmt' => PRESSYNC_NO_DATE] : []));
        $schema = pressync_schema();
        $terms = array_intersect_key($row['own'], $schema['taxonomies']);
        foreach ([...$row['categories'], ...$row['tags'], ...array_merge(...array_values($terms))] as $term) {
            $wpdb->insert($wpdb->term_relationships, ['object_id' => $id, 'term_taxonomy_id' => $term]);
        }
        $row['kind'] === 'post' && $row['format'] !== 'standard' && set_post_format($id, $row['format']);
        foreach (
            [
                '_thumbnail_id' => $row['featured_media'],
                '_wp_page_template' => $row['template'],
                'footnotes' => $row['footnotes'],
                '_wp_trash_meta_status' => $row['status'] === 'trash' ? 'publish' : '',
                '_wp_desired_post_slug' => $row['desired'],
            ] as $name => $value
        ) {
            $value && add_post_meta($id, $name, wp_slash($value));
        }
        $own = [];
        foreach (array_diff_key($row['own'], $schema['taxonomies']) as $name => $value) {
            [$inside, $key] = explode('.', $name, 2);
            $own[$inside][$key] = $value;
        }
        foreach ($own['meta'] ?? [] as $key => $value) {
            $several = pressync_has_several($schema['types'][$row['kind']]['meta'][$key] ?? []);
            foreach ($several ? $value : [$value] as $one) {
                add_post_meta($id, $key, wp_slash($one));
            }
        }
        isset($own['acf']) && add_post_meta($id, 'pressync_acf', wp_slash($own['acf']));
    }

    private function post(array $row, array $more): void
    {
        global $wpdb;
        [$date, $modified] = array_map(fn($time) => gmdate('Y-m-d H:i:s', $time), [$row['date'], $row['modified']]);
        $this->insert($wpdb->posts, $more + [
            'ID' => $row['id'],
            'post_author' => $row['author'],
            'post_name' => $row['slug'],
            'post_date' => get_date_from_gmt($date),
            'post_date_gmt' => $date,
            'post_modified' => get_date_from_gmt($modified),
            'post_modified_gmt' => $modified,
            'guid' => $this->given['home'] . '/?p=' . $row['id'],
            'post_title' => '',
            'post_content' => '',
            'post_excerpt' => '',
            'to_ping' => '',
            'pinged' => '',
            'post_content_filtered' => '',
        ]);
    }

    private function insert(string $table, array $row): void
    {
        global $wpdb;
        if (!$wpdb->insert($table, $row)) {
            throw new Exception("$table: $wpdb->last_error");
        }
    }

    /** Lets no new record have an id that the site has used. */
    private function after(int $last): void
    {
        global $wpdb;
        if ($last && !get_post($last)) {
            $wpdb->insert($wpdb->posts, ['ID' => $last, 'post_content' => '', 'post_title' => '', 'post_excerpt' => '',
                'to_ping' => '', 'pinged' => '', 'post_content_filtered' => '']);
            $wpdb->delete($wpdb->posts, ['ID' => $last]);
        }
    }
}
