# Starts a Redis for compose.yaml: the users of docs/redis.acl with the passwords of .env, nothing kept, full at MAXMEMORY.
set -eu
umask 077
folder=$(mktemp -d)
sed -e "s/PASSWORD-OF-THE-OPERATOR/$REDIS_OPERATOR_PASSWORD/" -e "s/PASSWORD-OF-THE-WEB/$REDIS_WEB_PASSWORD/" \
  -e "s/PASSWORD-OF-WORKER-1/$REDIS_WORKER_1_PASSWORD/" -e "s/PASSWORD-OF-WORKER-2/$REDIS_WORKER_2_PASSWORD/" \
  "${ACL:-/etc/stepgrad/redis.acl}" > "$folder/users.acl"
# protected-mode refuses whoever comes from outside while the default user has no password; here it is off.
exec redis-server --dir "$folder" --aclfile "$folder/users.acl" --protected-mode no --save '' --appendonly no \
  --maxmemory "$MAXMEMORY" --maxmemory-policy noeviction --proto-max-bulk-len 1mb "$@"
