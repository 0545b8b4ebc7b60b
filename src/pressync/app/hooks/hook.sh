#!/bin/sh
# A hook of pressync, for Git's @TYPE@. `pressync hook uninstall` removes it and restores the hook before it.
# PRESSYNC_HOOK=0 turns it off for one command. It starts Python only if something relevant has changed.
type=@TYPE@
executable=@EXECUTABLE@
beside=${0%/*}
before=$beside/$type.before-pressync
newline='
'
status=0

# Git gives these two types an input, which can be read once. The earlier hook must get it, too.
input=
case $type in
    pre-push | post-receive) input=$(cat) && input=$input${input:+$newline} ;;
esac

# The earlier hook runs first. Another tool may have put its hook in front of ours: if that is the hook that
# we replaced, it has run already.
if [ -x "$before" ] && ! { [ "${0##*/}" != "$type" ] && cmp -s "$before" "$beside/$type"; }; then
    case $type in
        pre-push | post-receive) printf %s "$input" 2>/dev/null | "$before" "$@" ;;
        *) "$before" "$@" ;;
    esac
    status=$?
    case $type in
        pre-*) [ "$status" = 0 ] || exit "$status" ;;
    esac
fi

[ "${PRESSYNC_HOOK-}" = 0 ] && exit "$status"

# Run the tests that the last run wrote for this branch, with $commit.
unchanged() {
    # A branch named `$1.seen/…` makes a folder of this name. Reading a folder as a script would succeed.
    [ -f "$common/pressync/hook/$type/$1.seen" ] && [ -r "$common/pressync/hook/$type/$1.seen" ] &&
        . "$common/pressync/hook/$type/$1.seen"
}

# Run the tests of every pushed branch. A deleted branch changes no site, and neither does a tag.
all_unchanged() {
    # old new ref, or: local-ref local-commit remote-ref remote-commit
    while read -r _ commit ref _; do
        case $ref in refs/heads/*) ;; *) continue ;; esac
        case $commit in *[!0]*) ;; *) continue ;; esac
        unchanged "${ref#refs/heads/}" || return 1
    done
}

nothing_to_do() {
    commit=HEAD
    case $type in
        post-commit | post-merge)
            { read -r common && read -r parent && read -r last && read -r branch; } <<END || return 1
$(git rev-parse --git-common-dir 'HEAD^' 'HEAD@{1}' --symbolic-full-name HEAD 2>/dev/null)
END
            # A site follows a branch, and a detached HEAD is on none. A rebase makes all its commits there.
            [ "$branch" != HEAD ] || return 0
            # After an amend, Python must record the new commit, even if the content is the same.
            [ "$type" = post-merge ] || [ "$parent" = "$last" ] || return 1
            unchanged "${branch#refs/heads/}" ;;
        pre-push | post-receive)
            common=$(git rev-parse --git-common-dir) || return 1
            all_unchanged <<END
$input
END
            ;;
        pre-commit)
            common=$(git rev-parse --git-common-dir) && unchanged staged ;;
    esac
}

nothing_to_do && exit "$status"

run() {
    printf %s "$input" | @COMMAND@ "$@"
}

if [ ! -x "$executable" ]; then
    if ! command -v pressync >/dev/null; then
        echo "pressync: nothing was done: $executable is gone, and no other pressync is on PATH" >&2
        echo "pressync: install it again and run \`pressync hook install\`, or \`rm $0\`" >&2
        exit "$status"
    fi
    echo "pressync: $executable is gone; the pressync on PATH runs instead (\`pressync hook install\` records it)" >&2
    run() {
        printf %s "$input" | pressync @ARGUMENTS@ "$@"
    }
fi
run "$@"
ended=$?
case $type in
    # Only wrong content stops Git, and only in hooks that run before Git acts.
    pre-*) [ "$ended" != 2 ] || exit 1 ;;
esac
exit "$status"
