# The images for two architectures, with what is in them and how they were made, from the root of the checkout:
#   VERSION=1.2.3 REGISTRY=registry.example.org docker buildx bake -f infra/docker/docker-bake.hcl --push
# Attestations and more than one architecture need a builder of their own: docker buildx create --use

variable "REGISTRY" {
  default = ""
}

variable "VERSION" {
  default = "latest"
}

# whose programs the image of backups has, which compose looks for by it: 1.2.3-pg18
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
  # nothing is published with a program whose flaws are exploitable; common/floors.json
  args       = { FLOORS = "refuse" }
  platforms  = ["linux/amd64", "linux/arm64"]
  attest     = ["type=sbom", "type=provenance,mode=max"]
  labels     = { "org.opencontainers.image.version" = VERSION, "org.opencontainers.image.licenses" = "MIT" }
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
