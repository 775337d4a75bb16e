#!/bin/sh
# Run once by the PostgreSQL image: the login that owns Switchboard's database. It is no superuser, so
# that row-level security holds for it; extensions, which need one, are made here. The logins that
# serve are created by `switchboard migrate`.
set -eu
psql --username="$POSTGRES_USER" --dbname=template1 --set=ON_ERROR_STOP=1 \
  --command="CREATE EXTENSION vector"
psql --username="$POSTGRES_USER" --dbname=postgres --set=ON_ERROR_STOP=1 <<'SQL'
\getenv password SWITCHBOARD_PASSWORD
CREATE ROLE switchboard LOGIN CREATEROLE CREATEDB PASSWORD :'password';
CREATE DATABASE switchboard OWNER switchboard;
SQL
