<?php // must-use plugin of a site of the stand: the answers of providers, because the stand has no way out
// WordPress itself decides by its table whether it asks a provider.
add_filter('pre_http_request', function ($given, $options, $address) {
    $host = (string) parse_url($address, PHP_URL_HOST);
    if ($given !== false || in_array($host, ['127.0.0.1', 'localhost'], true) || !str_contains($address, 'oembed')) {
        return $given;
    }
    $player = '<iframe title="A film" frameborder="0" width="500" height="281" src="/wp-includes/images/blank.gif" allowfullscreen></iframe>';
    $answer = ['version' => '1.0', 'type' => 'video', 'provider_name' => 'Youtube', 'title' => 'A film',
        'width' => 500, 'height' => 281, 'html' => $player];
    return ['headers' => [], 'body' => json_encode($answer), 'cookies' => [], 'filename' => null,
        'response' => ['code' => 200, 'message' => 'OK']];
}, 10, 3);
