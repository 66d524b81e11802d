#!/bin/sh
# Writes .env beside compose.yaml, once: a password for each who needs one. Run it from the checkout.
set -eu
umask 077
if [ -e .env ]; then
  echo 'There is a .env already: it stays as it is.' >&2
  exit 1
fi
for name in REDIS_OPERATOR_PASSWORD REDIS_WEB_PASSWORD REDIS_WORKER_1_PASSWORD REDIS_WORKER_2_PASSWORD POSTGRESQL_PASSWORD; do
  echo "$name=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done > .env
