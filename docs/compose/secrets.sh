#!/bin/sh
# Writes .env next to compose.yaml, once: the password of PostgreSQL. Run it from the checkout.
set -eu
umask 077
if [ -e .env ]; then
  echo '.env exists already and was not changed.' >&2
  exit 1
fi
echo "POSTGRESQL_PASSWORD=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')" > .env
