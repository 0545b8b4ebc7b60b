<?php // a network of sites with the files and the database of one WordPress of the stand; its tables are its own
//
//   php network.php tables|site    makes it, and prints what the tests must know
//   php -S ADDRESS network.php     serves it
//
// The environment has ROOT, the files of WordPress, ADDRESS, and PLUGINS, the folder of must-use plug-ins.
$address = getenv('ADDRESS');
$step = PHP_SAPI === 'cli' ? $argv[1] : 'serve';
$_SERVER += [
    'HTTP_HOST' => $address, 'SERVER_NAME' => '127.0.0.1', 'REMOTE_ADDR' => '127.0.0.1', 'REQUEST_URI' => '/',
    'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1',
];
define('ABSPATH', getenv('ROOT') . '/');
preg_match_all("/^define\('(DB_\w+)', '(.*)'\);/m", file_get_contents(ABSPATH . 'wp-config.php'), $found);
array_map('define', $found[1], $found[2]);
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $use) {
    define("{$use}_KEY", "$use key of a test network");
    define("{$use}_SALT", "$use salt of a test network");
}
define('WPMU_PLUGIN_DIR', getenv('PLUGINS'));
define('WP_ENVIRONMENT_TYPE', 'local');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('WP_DEBUG', false);
$table_prefix = 'network_';
if ($step === 'tables') {
    define('WP_INSTALLING', true);
} else {
    define('MULTISITE', true);
    define('SUBDOMAIN_INSTALL', false);
    define('DOMAIN_CURRENT_SITE', $address);
    define('PATH_CURRENT_SITE', '/');
    define('SITE_ID_CURRENT_SITE', 1);
    define('BLOG_ID_CURRENT_SITE', 1);
}
require ABSPATH . 'wp-settings.php';
if ($step === 'serve') {
    wp();
    require ABSPATH . WPINC . '/template-loader.php';
    return;
}
add_filter('pre_wp_mail', '__return_true');
require ABSPATH . 'wp-admin/includes/upgrade.php';
if ($step === 'tables') {
    foreach ($wpdb->get_col("SHOW TABLES LIKE 'network\\_%'") as $table) {
        $wpdb->query("DROP TABLE $table");
    }
    wp_cache_flush();
    wp_install('A test network', 'admin', 'admin@example.test', false, '', wp_generate_password());
    foreach ($wpdb->tables('ms_global') as $name => $table) {
        $wpdb->$name = $table;
    }
    install_network();
    populate_network(1, $address, 'admin@example.test', 'A test network', '/', false);
    return;
}
$site = wpmu_create_blog($address, '/sub/', 'A site of the network', 1);
update_blog_option($site, 'permalink_structure', '/%postname%/');
foreach (['admin', 'plain', 'super'] as $login) {
    $id = username_exists($login) ?: wpmu_create_user($login, wp_generate_password(), "$login@example.test");
    add_user_to_blog($site, $id, $login === 'admin' ? 'administrator' : 'contributor');
    $login === 'super' && grant_super_admin($id);
    [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'pressync']);
    echo "$login=$password\n";
}
