<?php // put into a site's root by a test: opens a record in its own block editor, puts a note on a block, saves.
require __DIR__ . '/wp-load.php';
wp_set_auth_cookie(1);
?>
<!DOCTYPE html>
<meta charset="utf-8">
<body>
<iframe src="/wp-admin/post.php?action=edit&post=<?php echo (int) $_GET['post']; ?>" width="1200" height="900"></iframe>
<script>
const [post, word, inline, remove] = <?php echo json_encode([(int) $_GET['post'], $_GET['word'], $_GET['inline'] === '1', (int) $_GET['remove']]); ?>;
const inside = document.querySelector('iframe').contentWindow;
const wait = async (given) => {
    while (!given()) await new Promise((resume) => setTimeout(resume, 100));
};
// The steps of the editor's own `useNoteActions`, which no script of a page can call.
const put = async () => {
    await wait(() => inside.wp?.data?.select('core/block-editor')?.getBlocks().length);
    const { data, richText } = inside.wp, broken = [];
    const change = data.dispatch('core/block-editor');
    let note = 0;
    const walk = async (blocks) => {
        for (const { name, isValid, clientId, attributes, originalContent, innerBlocks } of blocks) {
            if (!isValid) broken.push([name, originalContent]);
            const text = originalContent + String(attributes.content ?? '');
            if (remove && [attributes.metadata?.noteId].flat().includes(remove)) {
                note = remove;
                const left = [attributes.metadata.noteId].flat().filter((id) => id !== remove);
                await data.dispatch('core').deleteEntityRecord('root', 'comment', remove);
                const metadata = left.length ? { ...attributes.metadata, noteId: left } : undefined;
                change.updateBlockAttributes(clientId, { metadata });
            } else if (!remove && !note && text.includes(word)) {
                const record = { post, content: 'A note.', status: 'hold', type: 'note', parent: 0 };
                note = (await data.dispatch('core').saveEntityRecord('root', 'comment', record, { throwOnError: true })).id;
                const ids = [attributes.metadata?.noteId ?? []].flat();
                const changed = { metadata: { ...attributes.metadata, noteId: [...ids, note] } };
                if (inline) {
                    const value = richText.create({ html: attributes.content.toHTMLString() });
                    const start = value.text.indexOf(word);
                    const format = { type: 'core/note', attributes: { 'data-id': String(note) } };
                    const marked = richText.applyFormat(value, format, start, start + word.length);
                    changed.content = richText.RichTextData.fromHTMLString(richText.toHTMLString({ value: marked }));
                }
                change.updateBlockAttributes(clientId, changed);
            }
            await walk(innerBlocks);
        }
    };
    await walk(data.select('core/block-editor').getBlocks());
    await data.dispatch('core/editor').savePost();
    return { broken, note, saved: data.select('core/editor').didPostSaveRequestSucceed() };
};
put().catch((error) => ({ error: String(error) })).then((answer) => {
    const said = document.createElement('pre');
    said.id = 'said';
    said.textContent = JSON.stringify(answer);
    document.body.replaceChildren(said);
});
</script>
