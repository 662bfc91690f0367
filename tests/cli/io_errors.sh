#!/usr/bin/env bash
# Places that cannot be written: exit status 4, the path in the message, nothing half-written left behind.
. "$(dirname "$0")/lib.sh"
mini

touch file
gsim run mini.ini -o file/x.h5
expect_status 4
expect_err 'file/x\.h5'

# A folder without write permission; root may write everywhere but in /proc.
if [ "$(id -u)" = 0 ]; then
  target=/proc/x.h5
else
  mkdir closed && chmod 500 closed
  target=closed/x.h5
fi
gsim run mini.ini -o "$target"
expect_status 4
expect_err 'x\.h5'
expect_no_file "$target"

# A disk that fills up: first through the file size limit, then, where we may mount one, on a real small disk.
(
  trap '' XFSZ
  ulimit -f 8
  exec "$GSIM" run mini.ini -o full.h5 >out2 2>err2
)
status=$?
cp out2 out && cp err2 err
last='gsim run with a file size limit'
expect_status 4
expect_err 'full\.h5'
expect_no_file full.h5
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none disk 2>/dev/null; then
  gsim run mini.ini -o disk/x.h5
  expect_status 4
  expect_err 'disk/x\.h5'
  expect_no_file disk/x.h5
  umount disk
fi

# Standard output on a full disk.
if [ -w /dev/full ]; then
  last='gsim catalog gpus > /dev/full'
  status=0
  "$GSIM" catalog gpus >/dev/full 2>err || status=$?
  expect_status 4
  last='gsim run > /dev/full'
  status=0
  "$GSIM" run mini.ini -o o.h5 >/dev/full 2>err || status=$?
  expect_status 4
fi

# A closed pipe is no error: the reader had enough.
last='gsim catalog gpus | true'
"$GSIM" catalog gpus 2>err | true
status=${PIPESTATUS[0]}
expect_status 0
last='gsim help metrics | head -n 1'
"$GSIM" help metrics 2>err | head -n 1 >out
status=${PIPESTATUS[0]}
expect_status 0

# Reading from places that cannot be read.
gsim trace info none.csv
expect_status 2
expect_err 'none\.csv'
gsim plot none.h5
expect_status 2
expect_err 'none\.h5'
gsim plot mini.ini
expect_status 2
expect_err 'mini\.ini'
finish
