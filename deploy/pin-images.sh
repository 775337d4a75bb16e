#!/bin/sh
# Writes the digests of the images that docker-compose.yml and the Dockerfile name into .env, or into
# the file that is given. Run it before the first start, and again when you want newer images; then
# `docker compose up --build`.
set -eu
file=${1:-.env}
project=$(dirname "$0")/..

# One line for each image: the variable of its digest, and its name with the tag.
images=$(
  sed -n -E \
    -e 's/^ *image: ([^@ ]+)@\$\{([A-Z]+_IMAGE_DIGEST):.*/\2 \1/p' \
    -e 's/^FROM ([^@ ]+)@\$\{([A-Z]+_IMAGE_DIGEST)\}.*/\2 \1/p' \
    "$project/docker-compose.yml" "$project/Dockerfile" | sort -u
)
umask 077
# Beside the file, which it replaces as a whole: a full disk must not cost the secrets in it.
pinned=$(mktemp "$file.XXXXXX")
trap 'rm -f "$pinned"' EXIT
if [ -e "$file" ]; then
  cp -p "$file" "$pinned"
  sed -E '/^[A-Z]+_IMAGE_DIGEST=/d' "$file" > "$pinned"
fi
echo "$images" | while read -r variable image; do
  digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
  if ! expr "$digest" : 'sha256:[0-9a-f]\{64\}$' > /dev/null; then
    echo "error: no digest for $image: $digest" >&2
    exit 1
  fi
  echo "$variable=$digest" >> "$pinned"
  echo "$image@$digest"
done
mv -f "$pinned" "$file"
