#!/usr/bin/env bash
# A policy got worse by a change of one line, six commits ago, and one commit in between does not even load: `git bisect run` with the two lines of the
# README finds it.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null && command -v cc >/dev/null || skip_all 'no git or no compiler'
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org HOME=$work GIT_CONFIG_NOSYSTEM=1

mini 150
mkdir repo
cd repo || exit 1
git init -q .
sed 's/order = fifo/order = sjf/' ../mini.ini >night.ini
printf '[expect]\nallow = saturated\n' >>night.ini
cp "$source_dir/policies/sjf.c" sjf.c
cat >build.sh <<SH
cc -std=c11 -shared -fPIC -I$source_dir/policies/include -I$source_dir/policies/lib -o gsp_sjf.so sjf.c
SH
printf '*.so\n' >.gitignore
sh build.sh
"$GSIM" check night.ini --policy-path . --bless >../out 2>../err
commit() { git add -A && git commit -q -m "$1"; }
commit 'shortest job first, and what it shows'
echo '/* a comment */' >>sjf.c
commit 'comment'
sed -i 's/key\[i\] = \(.*\);/key[i] = \1 \/ GSP_HOUR; \/\/ whole hours/; s/^static int order/#define GSP_HOUR INT64_C(3600000000000)\n\nstatic int order/' sjf.c
commit 'coarser keys'
guilty=$(git rev-parse HEAD)
sed -i 's/\.id = "sjf"/.id = "sjfx"/' sjf.c
commit 'a build that does not load'
sed -i 's/\.id = "sjfx"/.id = "sjf"/' sjf.c
commit 'and its repair'
echo '/* another */' >>sjf.c
commit 'comment'

last='git bisect run'
git bisect start HEAD "$(git rev-list --max-parents=0 HEAD)" >../out 2>../err
# The two lines: 1 = worse, 125 = cannot be judged, 0 = as good as the baseline.
git bisect run sh -c "sh build.sh || exit 125; '$GSIM' check night.ini --policy-path ." >>../out 2>>../err
cd "$work" || exit 1
expect_out "^$guilty is the first bad commit"
expect_out 'fail +baseline jobs\.'
finish
