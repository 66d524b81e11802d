# Starts PostgreSQL for compose.yaml; the first start creates its cluster in DATA, with one database of an ordinary user.
# Clients on the container's networks need the password; the superuser can only connect from inside: psql --host /tmp --username postgres.
set -eu
umask 077
binaries=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
if [ ! -d "$DATA" ]; then
  rm -rf "$DATA.new"  # left by an interrupted first start
  "$binaries/initdb" --pgdata "$DATA.new" --username postgres --auth-local peer --auth-host scram-sha-256 \
    --encoding UTF8 --locale C.UTF-8 --no-instructions
  echo 'host stepgrad stepgrad samenet scram-sha-256' >> "$DATA.new/pg_hba.conf"
  printf '%s\n' "CREATE ROLE stepgrad LOGIN PASSWORD '$POSTGRESQL_PASSWORD'" 'CREATE DATABASE stepgrad OWNER stepgrad' |
    "$binaries/postgres" --single -D "$DATA.new" postgres > /dev/null
  mv "$DATA.new" "$DATA"
fi
exec "$binaries/postgres" -D "$DATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
