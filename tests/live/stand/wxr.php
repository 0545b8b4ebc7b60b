<?php // wxr.php ROOT HOST: inserts the items of the export on standard input as they are, prints as JSON what
// WordPress shows of each, by the path of its own address, and deletes them again.
[, $root, $host] = $argv;
$_SERVER += ['HTTP_HOST' => $host, 'SERVER_NAME' => $host, 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET',
    'SERVER_PROTOCOL' => 'HTTP/1.1'];
require "$root/wp-load.php";
require ABSPATH . 'wp-admin/includes/taxonomy.php';
kses_remove_filters();
$made = $terms = $shown = [];
foreach (simplexml_load_string(stream_get_contents(STDIN))->channel->item as $item) {
    $wp = $item->children('wp', true);
    if (!in_array((string) $wp->post_type, ['post', 'page'], true) || (string) $wp->status !== 'publish') continue;
    $id = wp_insert_post(wp_slash([
        'post_type' => (string) $wp->post_type,
        'post_status' => 'publish',
        'post_title' => (string) $item->title,
        'post_name' => (string) $wp->post_name,
        'post_date' => (string) $wp->post_date,
        'post_date_gmt' => (string) $wp->post_date_gmt,
        'post_content' => (string) $item->children('content', true)->encoded,
        'post_excerpt' => (string) $item->children('excerpt', true)->encoded,
    ]), true);
    if (is_wp_error($id)) exit($id->get_error_message());
    foreach ($item->category as $category) {
        $taxonomy = (string) $category['domain'];
        $known = term_exists((string) $category, $taxonomy);
        $term = $known ?: wp_insert_term((string) $category, $taxonomy, ['slug' => (string) $category['nicename']]);
        if (!$known) $terms[] = [(int) $term['term_id'], $taxonomy];
        wp_set_object_terms($id, (int) $term['term_id'], $taxonomy, true);
    }
    $made[$id] = parse_url((string) $item->link, PHP_URL_PATH);
}
foreach ($made as $id => $path) {
    $GLOBALS['post'] = get_post($id);
    setup_postdata($GLOBALS['post']);
    $pages = array_map(fn($page) => apply_filters('the_content', $page), $GLOBALS['pages']);
    $tags = get_the_terms($id, 'post_tag') ?: [];
    $head = '<title>' . wp_strip_all_tags(get_the_title($id)) . '</title>';
    $head .= '<meta property="article:published_time" content="' . get_post_time('c', false, $id) . '">';
    foreach ($tags as $tag) $head .= '<meta property="article:tag" content="' . esc_attr($tag->name) . '">';
    $shown[$path] = "<html lang=\"en\"><head>$head</head><body><main>" . implode("\n", $pages) . '</main></body></html>';
}
foreach (array_keys($made) as $id) wp_delete_post($id, true);
foreach ($terms as [$term, $taxonomy]) wp_delete_term($term, $taxonomy);
echo json_encode($shown);
