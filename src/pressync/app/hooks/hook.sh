#!/bin/sh
# A hook of pressync, for Git's @TYPE@. `pressync hook uninstall` removes it and puts back what stood here.
# PRESSYNC_HOOK=0 turns it off for one command. It starts Python only if something that decides has changed.
type=@TYPE@
executable=@EXECUTABLE@
beside=${0%/*}
before=$beside/$type.before-pressync
newline='
'
status=0

# What these two types are told comes on standard input, once, and the hook that was here must hear it too.
input=
case $type in
    pre-push | post-receive) input=$(cat) && input=$input${input:+$newline} ;;
esac

# The hook that was here before goes first. Another tool may have put its hook in front of ours: if that is
# the very one that we replaced, it has run already.
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

# Whether the comparison that the last run wrote down for this branch still holds, for $commit.
unchanged() {
    # A folder, of a branch called `$1.seen/…`, would be read as an empty comparison, which always holds.
    [ -f "$common/pressync/hook/$type/$1.seen" ] && [ -r "$common/pressync/hook/$type/$1.seen" ] &&
        . "$common/pressync/hook/$type/$1.seen"
}

# Whether every pushed branch is one of which that is so; a branch that was deleted, or a tag, changes no site.
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
            # A detached HEAD is on no branch, so on no site's; a rebase makes each of its commits there.
            [ "$branch" != HEAD ] || return 0
            # A commit that was replaced by another is to be forgotten, whatever the two hold.
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
    echo "pressync: $executable is gone; the pressync on PATH runs instead (\`pressync hook install\` notes it)" >&2
    run() {
        printf %s "$input" | pressync @ARGUMENTS@ "$@"
    }
fi
run "$@"
ended=$?
case $type in
    # Only wrong content stops Git, and only before it acts.
    pre-*) [ "$ended" != 2 ] || exit 1 ;;
esac
exit "$status"
