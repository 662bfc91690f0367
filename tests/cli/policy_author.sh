#!/usr/bin/env bash
# What a policy author does: installs gsim, compiles a module of one file against the installed header alone, and runs it.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$GSIM")
command -v cmake >/dev/null && command -v pkg-config >/dev/null || skip_all 'no cmake or pkg-config'

last='cmake --install'
status=0
cmake --install "$build" --prefix "$work/usr" >out 2>err || status=$?
expect_status 0
for file in bin/gsim include/gsim/policy.h share/gsim/scenarios/quickstart.ini share/gsim/analysis/plot/style.gp; do
  expect_file "usr/$file"
done
expect 'modules are installed' grep -q . <(find usr -path '*/gsim/policies/gsp_fifo.so')

# Compiled outside the repository, with nothing of it in sight but what pkg-config names.
mkdir mine
cp "$source_dir/policies/template.c" mine/mine.c
sed -i 's/\.id = "template"/.id = "mine"/' mine/mine.c
pc=$(dirname "$(find usr -name gsim.pc)")
last='cc -shared mine.c'
status=0
# shellcheck disable=SC2046  # a list of options
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -o mine/gsp_mine.so mine/mine.c \
  $(PKG_CONFIG_PATH=$pc pkg-config --define-variable=includedir="$work/usr/include" --cflags gsim) >out 2>err || status=$?
expect_status 0
gsim policy show mine --policy-path mine
expect_status 0
mini 50
sed -i 's/^order = fifo/scheduler = mine/; /^placement/d' mini.ini
gsim run mini.ini -o a.h5 --policy-path mine
expect_status 0
expect_out '^digest'
GSIM_POLICY_PATH=$work/mine gsim run mini.ini -o b.h5
expect_status 0
sed -i 's|scheduler = mine|scheduler = ./mine/gsp_mine.so|' mini.ini
gsim run mini.ini -o c.h5
expect_status 0

# The installed program finds its own modules.
last='the installed gsim'
status=0
mini 50
"$work/usr/bin/gsim" run mini.ini -o d.h5 >out 2>err </dev/null || status=$?
expect_status 0
finish
