<?php // must-use plugin of a site of the stand: one request in another theme, for the tests that look at pages
// `?theme=NAME` shows the page in a theme that is unpacked. No other request changes.
$name = $_GET['theme'] ?? '';
if (is_string($name) && preg_match('/^[a-z]+$/', $name) && is_dir(WP_CONTENT_DIR . "/themes/$name")) {
    foreach (['template', 'stylesheet'] as $option) {
        add_filter("pre_option_$option", fn () => $name);
    }
}
