<?php // put into a site's root by a test: opens a record in its own block editor, replaces a word, saves.
require __DIR__ . '/wp-load.php';
wp_set_auth_cookie(1);
?>
<!DOCTYPE html>
<meta charset="utf-8">
<body>
<iframe src="/wp-admin/post.php?action=edit&post=<?php echo (int) $_GET['post']; ?>" width="1200" height="900"></iframe>
<script>
const [word, other] = <?php echo json_encode([$_GET['word'], $_GET['other']]); ?>;
const inside = document.querySelector('iframe').contentWindow;
const wait = async (given) => {
    while (!given()) await new Promise((resume) => setTimeout(resume, 100));
};
const edit = async () => {
    await wait(() => inside.wp?.data?.select('core/block-editor')?.getBlocks().length);
    const data = inside.wp.data, broken = [];
    // The editor asks the provider of each embed, and writes what it says into the block.
    const waits = (blocks) => blocks.some(({ name, attributes, innerBlocks }) =>
        name === 'core/embed' ? !attributes.providerNameSlug : waits(innerBlocks));
    await wait(() => !waits(data.select('core/block-editor').getBlocks()));
    let left = 1;
    const walk = (blocks) => {
        for (const { name, isValid, clientId, attributes, originalContent, innerBlocks } of blocks) {
            if (!isValid) broken.push([name, originalContent]);
            const text = String(attributes.content ?? '');
            if (left && text.includes(word) && name !== 'core/html') {
                left = 0;
                data.dispatch('core/block-editor').updateBlockAttributes(clientId, { content: text.replace(word, other) });
            }
            walk(innerBlocks);
        }
    };
    walk(data.select('core/block-editor').getBlocks());
    await data.dispatch('core/editor').savePost();
    return { broken, changed: 1 - left, saved: data.select('core/editor').didPostSaveRequestSucceed() };
};
edit().catch((error) => ({ error: String(error) })).then((answer) => {
    const said = document.createElement('pre');
    said.id = 'said';
    said.textContent = JSON.stringify(answer);
    document.body.replaceChildren(said);
});
</script>
