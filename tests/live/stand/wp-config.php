<?php // of a site of the stand; `up` fills in the names between @ signs
define('DB_NAME', 'wp_@NAME@');
define('DB_USER', 'wp');
define('DB_PASSWORD', 'wp');
define('DB_HOST', 'localhost:@SOCKET@');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $use) {
    define("{$use}_KEY", hash('sha256', "$use key of a test site"));
    define("{$use}_SALT", hash('sha256', "$use salt of a test site"));
}
define('WP_HOME', 'http://127.0.0.1:@PORT@');
define('WP_SITEURL', 'http://127.0.0.1:@PORT@');
define('WP_ENVIRONMENT_TYPE', 'local');    // application passwords also over plain http
define('WP_HTTP_BLOCK_EXTERNAL', true);    // no look for updates, no pings
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISABLE_WP_CRON', true);           // no requests to itself
define('WP_DEBUG', false);
if (file_exists('@SITE@/trash-off')) {     // for the test of a site without a trash
    define('EMPTY_TRASH_DAYS', 0);
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
