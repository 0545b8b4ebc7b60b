<?php // run by `up`: installs WordPress, makes a user per role, prints what the tests must know
[, $root, $port] = $argv;
$_SERVER += [
    'HTTP_HOST' => "127.0.0.1:$port", 'SERVER_NAME' => '127.0.0.1', 'REQUEST_URI' => '/',
    'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1',
];
define('WP_INSTALLING', true);
require "$root/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_true');
wp_install('A test site', 'admin', 'admin@example.test', false, '', wp_generate_password());
$GLOBALS['wp_rewrite']->set_permalink_structure('/%postname%/');
flush_rewrite_rules(false);
foreach (['admin', 'editor', 'author', 'contributor', 'subscriber'] as $login) {
    $id = username_exists($login) ?: wp_insert_user([
        'user_login' => $login, 'user_pass' => wp_generate_password(), 'role' => $login,
        'user_email' => "$login@example.test",
    ]);
    [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'pressync']);
    printf("%s=%s\n", strtoupper($login), $password);
}
printf("URL=http://127.0.0.1:%s\nVERSION=%s\n", $port, $GLOBALS['wp_version']);
