<?php // put into a site's root by a test: which of these contents' blocks does its own editor call broken?
require __DIR__ . '/wp-load.php';
?>
<!DOCTYPE html>
<meta charset="utf-8">
<body>
<?php wp_print_scripts(['wp-block-library', 'wp-format-library']); ?>
<script>
for (const loud of ['error', 'info', 'log', 'warn']) console[loud] = () => {};
const contents = <?php readfile(__DIR__ . '/contents.json'); ?>;
const seen = {}, broken = [];
const walk = (blocks, number) => {
    for (const { name, isValid, originalContent, innerBlocks } of blocks) {
        seen[name] = (seen[name] || 0) + 1;
        if (!isValid) broken.push([number, name, originalContent]);
        walk(innerBlocks, number);
    }
};
wp.blockLibrary.registerCoreBlocks();
contents.forEach((content, number) => walk(wp.blocks.parse(content), number));
const said = document.createElement('pre');
said.id = 'said';
said.textContent = JSON.stringify({ seen, broken });
document.body.replaceChildren(said);
</script>
