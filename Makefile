# dapple: every check that CI runs is a target here.

GO       ?= go
FUZZTIME ?= 30s
DEMO     ?= out/demo
LINTER   := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Tests on real tables look for them here, and say so where they are missing.
export DAPPLE_DATA ?= $(wildcard $(abspath $(CURDIR)/../shared/data))

.PHONY: all build fmt vet lint test race invariants integration fuzz bench demo cover clean

all: fmt vet lint test

build:
	@mkdir -p bin
	@$(GO) build -o bin/dapple ./pipelines/dapple

# The formatter only lists files; the test makes a list a failure.
fmt:
	@files="$$(gofmt -l .)"; if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

lint:
	$(GO) run $(LINTER) run ./...

# Every test that needs no server. The first build compiles Apache Beam and takes some minutes.
test:
	$(GO) test -short ./...

race:
	$(GO) test -short -race ./dp/... ./solver/... ./io/... ./transforms/...

# Self-checks inside the kernels: finite potentials, counts of at least 0, equal separators.
invariants:
	$(GO) test -short -tags invariants ./dp/... ./solver/...

# Whole pipelines, also across processes, on real tables.
integration:
	$(GO) test -count=1 -timeout 30m ./solver/... ./transforms/... ./pipelines/... ./integration/...

fuzz:
	@$(GO) list -f '{{$$p := .ImportPath}}{{range .TestGoFiles}}{{$$p}} {{end}}{{range .XTestGoFiles}}{{$$p}} {{end}}' ./... | tr ' ' '\n' | sort -u | while read -r pkg; do \
		[ -n "$$pkg" ] || continue; \
		for f in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz' || true); do \
			echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
		done; \
	done

bench: build
	$(GO) run ./integration/bench
	$(GO) test -run '^$$' -bench . -benchmem ./transforms/... ./solver/population ./io/...

# A made-up table of 50,000 people and their visits becomes a synthetic one.
demo:
	@echo "building (the first time Apache Beam is compiled, which takes some minutes) ..."
	@mkdir -p bin out
	@$(GO) build -o bin/dapple ./pipelines/dapple
	@$(GO) build -o bin/visits ./examples/visits
	@rm -rf $(DEMO)
	@mkdir -p $(DEMO)
	@bin/visits -people 50000 -seed 1 -out $(DEMO)/visits.csv
	@bin/dapple synth --domain=examples/visits/visits.yaml --input=$(DEMO)/visits.csv --output=$(DEMO)/synthetic --epsilon=1 --delta=1e-9
	@echo
	@echo "ten of the rows:"
	@bin/dapple sample --model=$(DEMO)/synthetic/_model.arrow --output=$(DEMO)/ten --rows=10 --format=csv --shards=1 --sample_seed=1 --quiet >/dev/null
	@cat $(DEMO)/ten/part-00000-of-00001.csv
	@echo
	@echo "privacy statement: $(DEMO)/synthetic/_privacy.json"
	@echo "synthetic rows:    $(DEMO)/synthetic/part-*.parquet"

cover:
	$(GO) test -short -coverprofile=out/cover.out ./... && $(GO) tool cover -func=out/cover.out | tail -1

clean:
	rm -rf bin out
