# Builds the images for two architectures, with an SBOM and provenance. From the root of the checkout:
#   VERSION=1.2.3 REGISTRY=registry.example.org docker buildx bake -f infra/docker/docker-bake.hcl --push
# The default builder supports neither attestations nor several architectures. Create another one: docker buildx create --use

variable "REGISTRY" {
  default = ""
}

variable "VERSION" {
  default = "latest"
}

# The repository and the commit, as labels.
variable "SOURCE" {
  default = ""
}

variable "REVISION" {
  default = ""
}

# PostgreSQL version of the backup image. It is part of the tag that compose.yaml expects: 1.2.3-pg18
variable "POSTGRES_TAG" {
  default = "18"
}

function "tags" {
  params = [name, suffix]
  result = ["${REGISTRY == "" ? "" : "${REGISTRY}/"}${name}:${VERSION}${suffix}"]
}

group "default" {
  targets = ["auth", "backup"]
}

target "image" {
  context    = "."
  dockerfile = "infra/docker/Dockerfile"
  # do not publish an image with an exploitable flaw; see common/floors.json
  args       = { FLOORS = "refuse" }
  platforms  = ["linux/amd64", "linux/arm64"]
  attest     = ["type=sbom", "type=provenance,mode=max"]
  labels     = { "org.opencontainers.image.source" = SOURCE, "org.opencontainers.image.revision" = REVISION, "org.opencontainers.image.licenses" = "MIT" }
}

target "auth" {
  inherits = ["image"]
  target   = "auth"
  tags     = tags("finance-backend", "")
}

target "backup" {
  inherits = ["image"]
  target   = "backup"
  args     = { POSTGRES_TAG = POSTGRES_TAG }
  tags     = tags("finance-backup", "-pg${POSTGRES_TAG}")
}
