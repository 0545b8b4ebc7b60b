<?php
// Shows pages of a repository in a WordPress of the reviewer's own. `pressync.txt` has them as data.
function pressync_data(): array
{
    static $data = null;
    $packed = base64_decode(strtr(file_get_contents(__DIR__ . '/pressync.txt'), '-_', '+/'));
    return $data ??= json_decode(gzinflate($packed), true);
}

add_action('init', function () {
    foreach (pressync_data()['types'] as $name => $type) {
        $supports = ['title', 'editor', 'excerpt', 'author', 'thumbnail', 'comments', 'page-attributes', 'custom-fields'];
        post_type_exists($name) || register_post_type($name, $type + ['label' => $name, 'public' => true,
            'show_in_rest' => true, 'has_archive' => true, 'supports' => $supports]);
    }
    foreach (pressync_data()['taxonomies'] as $name => $taxonomy) {
        $known = ['category' => 1, 'post_tag' => 1];
        isset($known[$name]) || register_taxonomy($name, $taxonomy['of'], $taxonomy + ['label' => $name, 'show_in_rest' => true]);
        foreach ($taxonomy['of'] as $type) {
            register_taxonomy_for_object_type($name, $type);
        }
    }
    foreach (pressync_data()['meta'] as [$type, $name, $schema]) {
        $known = ['type' => $schema['type'] ?? 'string', 'single' => true];
        registered_meta_key_exists('post', $name, $type)
            || register_post_meta($type, $name, $known + ['show_in_rest' => ['schema' => $schema]]);
    }
});

// A page is a draft, perhaps, or it has an address of the site.
function pressync_place(int $id): string
{
    return get_post_status($id) === 'publish' ? get_permalink($id) : get_preview_post_link($id);
}

add_action('template_redirect', function () {
    $ids = array_column(pressync_data()['records'], 'id');
    if (in_array((int) ($_GET['pressync'] ?? 0), $ids, true)) {
        wp_safe_redirect(pressync_place((int) $_GET['pressync']));
        exit;
    }
    // Links among these pages stay here; all others lead to the site.
    $own = [];
    foreach ((array) get_option('pressync_links') as $link => $place) {
        $own[$link] = esc_url(is_int($place) ? pressync_place($place) : $place);
    }
    ob_start(fn($page) => preg_replace_callback('~ (href|src)="([^"#]+)~', fn($found) =>
        ' ' . $found[1] . '="' . ($own[html_entity_decode($found[2])] ?? $found[2]), $page) ?? $page);
});

add_action('admin_bar_menu', function ($bar) {
    $bar->add_node(['id' => 'pressync', 'title' => 'Changed pages']);
    foreach (pressync_data()['records'] as $row) {
        $row['shown'] && $bar->add_node(['parent' => 'pressync', 'id' => 'pressync-' . $row['id'],
            'title' => esc_html(get_the_title($row['id'])), 'href' => pressync_place($row['id'])]);
    }
}, 200);

function pressync_fill(): void
{
    global $wpdb, $wp_rewrite;
    $data = pressync_data();
    require_once ABSPATH . 'wp-admin/includes/image.php';
    wp_set_current_user(1);
    // `update_option` takes a text without slashes.
    update_option('blogname', $data['title']);
    $wp_rewrite->set_permalink_structure($data['permalinks']);
    $wpdb->query("DELETE FROM $wpdb->posts");
    $wpdb->query("DELETE FROM $wpdb->comments");
    // The addresses in the texts are those of the site.
    $own = home_url();
    wp_upload_dir();
    $home = fn() => $data['home'];
    foreach (['option_home', 'option_siteurl'] as $filter) {
        add_filter($filter, $home);
    }
    add_filter('wp_revisions_to_keep', '__return_zero');
    $ids = ['author' => []];
    foreach ($data['people'] as $id => $name) {
        $made = wp_insert_user(wp_slash(['user_login' => "person-$id", 'user_pass' => wp_generate_password(),
            'user_email' => "person-$id@localhost.localdomain", 'display_name' => $name, 'role' => 'editor']));
        $ids['author'][$id] = is_wp_error($made) ? 1 : $made;
    }
    foreach ($data['terms'] as [$field, $id, $taxonomy, $name]) {
        $parent = 0;
        foreach (is_taxonomy_hierarchical($taxonomy) ? explode('/', $name) : [$name] as $part) {
            $made = term_exists(wp_slash($part), $taxonomy, $parent)
                ?: wp_insert_term(wp_slash($part), $taxonomy, ['parent' => $parent]);
            $parent = is_wp_error($made) ? $parent : (int) $made['term_id'];
        }
        $ids[$field][$id] = $parent;
    }
    $links = $places = [];
    foreach ($data['files'] as $row) {
        $file = wp_upload_bits($row['name'], null, base64_decode($row['data']));
        wp_insert_attachment(wp_slash(['import_id' => $row['id'], 'post_mime_type' => $file['type'] ?? '', 'post_title' => $row['name'],
            'post_name' => 'file-' . $row['id'], 'post_status' => 'inherit']), $file['file'] ?? '');
        $links[$data['home'] . '/?p=' . $row['id']] = $link = str_replace($own, $data['home'], $file['url'] ?? '');
        $places[$link] = $file['url'] ?? '';
    }
    foreach ($data['records'] as $row) {
        $type = $row['type'];
        $with_id = function ($post) use ($row) {
            $post->import_id = $row['id'];
            return $post;
        };
        add_filter("rest_pre_insert_$type", $with_id);
        $body = $row['body'];
        foreach ($ids as $field => $known) {
            if (isset($body[$field])) {
                $of = fn($id) => $known[$id] ?? null;
                $body[$field] = is_array($body[$field]) ? array_values(array_filter(array_map($of, $body[$field]))) : $of($body[$field]) ?? 1;
            }
        }
        pressync_ask($row['route'], $body);
        remove_filter("rest_pre_insert_$type", $with_id);
    }
    foreach ($data['records'] as $row) {
        $links[$data['home'] . '/?p=' . $row['id']] = $link = get_permalink($row['id']);
        $places[$link] = $row['id'];
    }
    foreach ($data['records'] as $row) {
        $post = get_post($row['id']);
        $changed = [];
        foreach (['content', 'excerpt'] as $field) {
            $text = $post ? $post->{"post_$field"} : '';
            // An address ends where its number ends.
            $linked = preg_replace_callback('~' . preg_quote($data['home'], '~') . '/\?p=[0-9]++~', fn($found) => $links[$found[0]] ?? $found[0], $text);
            $linked === $text || $changed[$field] = $linked;
        }
        $changed && pressync_ask("{$row['route']}/{$row['id']}", $changed);
    }
    update_option('pressync_links', $places);
    update_option('page_on_front', $data['front']);
    update_option('show_on_front', $data['front'] ? 'page' : 'posts');
    flush_rewrite_rules(false);
}

// WordPress stores a page here as it stores one of a sync. A value that only the site has is left out.
function pressync_ask(string $route, array $body): void
{
    $request = new WP_REST_Request('POST', $route);
    $request->set_body_params($body);
    $error = rest_do_request($request)->as_error();
    $wrong = $error ? array_keys($error->get_error_data()['params'] ?? []) : [];
    if ($wrong) {
        $request->set_body_params(array_diff_key($body, array_flip($wrong)));
        rest_do_request($request);
    }
}
