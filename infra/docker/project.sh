# shellcheck shell=bash
# Sourced by setup, check, rollback and restore. check_project exits if Docker already has another deployment with this project name.
# Otherwise `docker compose up` would replace its containers and change the passwords of its database.

refuse_project() { # refuse_project <reason>
  echo "There is another deployment named $project on this machine: $1. Nothing was changed. Choose:
- for the same deployment, copy its .env, secrets/ and offsite.env into this folder; if its containers run from another folder, stop them: docker compose -p $project --profile '*' down
- for a second deployment, give it another name: COMPOSE_PROJECT_NAME=${project}2 infra/docker/setup …; docs/operations.md lists the ports it needs
- for a new deployment without the old data, delete the old one: docker compose -p $project --profile '*' down --volumes" >&2
  exit 1
}

# project_name: the name of the containers, volumes and images of this deployment
project_name() {
  local name
  name=${COMPOSE_PROJECT_NAME:-$(env_value COMPOSE_PROJECT_NAME)}
  echo "${name:-$(sed -n 's/^name: //p' compose.yaml)}"
}

# database_volume: the volume of the database's container, if it is one that `infra/docker/restore --at` made
database_volume() {
  docker ps -a --filter "label=com.docker.compose.project=$(project_name)" --filter label=com.docker.compose.service=db --format '{{.Label "volume"}}' 2>/dev/null |
    head -n 1
}

check_project() {
  local has_secrets project folders folder volumes
  # older versions had them in .env
  has_secrets=$(cat secrets/BETTER_AUTH_SECRET 2>/dev/null || env_value BETTER_AUTH_SECRET)
  project=$(project_name)
  folders=$(docker ps -a --filter "label=com.docker.compose.project=$project" --format '{{.Label "com.docker.compose.project.working_dir"}}' 2>/dev/null) || {
    # a folder with secrets was checked when it got them
    [ -n "$has_secrets" ] || echo "Docker does not answer, so it is not known whether there is another deployment named $project." >&2
    return 0
  }
  while read -r folder; do
    [ -n "$folder" ] || continue
    [ -n "$has_secrets" ] || [ ! "$folder" -ef . ] || { echo "The secrets of this deployment are lost, and its containers still exist. Nothing was changed. docs/runbook.md shows how to read them from a container." >&2; exit 1; }
    [ -n "$has_secrets" ] || refuse_project "its containers belong to $folder, and this folder does not have its secrets"
    # a folder that no longer exists was moved, together with its .env
    [ ! -d "$folder" ] || [ "$folder" -ef . ] || refuse_project "its containers belong to $folder"
  done <<<"$folders"
  [ -z "$has_secrets" ] || return 0
  volumes=$(docker volume ls -q --filter "label=com.docker.compose.project=$project" --filter label=com.docker.compose.volume=database | paste -sd' ')
  [ -z "$volumes" ] || refuse_project "its database is the volume $volumes, and this folder does not have its secrets"
}
