# dapple: every check that CI runs is a target here.

GO       ?= go
FUZZTIME ?= 30s
DEMO     ?= out/demo
LINTER   := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
PACKAGER := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0

# integration is a module of its own, which users of dapple do not download. So are research below it, which compares methods
# and makes pages of figures, and services, whose tests need programs of others and a C++ compiler: services is left out of
# vet and lint, with a message, if there is none.
BELOW := cd integration &&
RESEARCH := cd integration/research &&
SERVICES := integration/services
WITHCXX  := command -v g++ >/dev/null || { echo "$(SERVICES) left out: there is no C++ compiler"; exit 0; }; cd $(SERVICES) &&

# Tests on real tables look for them here, and say so if they are missing.
export DAPPLE_DATA ?= $(wildcard $(abspath $(CURDIR)/../shared/data))

# Symbols for debuggers are a third of what linking a test takes. With osusergo, programs start under user IDs without a
# name: see internal/pipelines/internal/anyuser. With disable_grpc_modules, the client of Cloud Storage leaves out 140 packages that
# only its gRPC calls need, which dapple does not make.
export GOFLAGS += -ldflags=-s -tags=osusergo,disable_grpc_modules

# Compiler, linker and tests take less CPU and more memory if garbage is collected less often: tests a sixth less. What is
# measured or shown runs as people run it, and the linter and nightly sizes take gigabytes as it is.
export GOGC ?= 400
ablate bench demo lint nightly paper pictures: export GOGC = 100

.PHONY: all fetch suite docs notices pictures build program fmt vet lint test race longer programs others integration services engines emulator verify verify-long nightly mutation ablate fuzz bench paper demo release wheel packed packages images template golden cover clean

all: fmt vet lint test

build:
	@mkdir -p bin
	@$(GO) build -o bin/dapple ./pipelines/dapple

# docs/reference, from the program's own tables; a test fails if it is stale.
docs: build
	$(GO) -C integration run ./docs .. $(CURDIR)/bin/dapple

# The licences of all modules that the command is linked from, which it embeds; a test fails if they are stale.
notices:
	$(HANDOUT) notices $(CURDIR)

# The picture of README.md from a real run, and screenshots of all pages in out/screens; needs Chromium.
pictures: build
	@docs/pictures.sh out/screens

# The formatter only lists files; the test makes a list a failure.
fmt:
	@files="$$(gofmt -l .)"; if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...
	$(BELOW) $(GO) vet ./...
	$(RESEARCH) $(GO) vet ./...
	@$(WITHCXX) $(GO) vet ./...

# What Go fetches from others, and nothing else.
fetch:
	@for m in . integration integration/outside integration/research $(SERVICES); do $(GO) -C $$m list -deps -test ./... >/dev/null || exit 1; done
	@$(GO) run -n $(LINTER) >/dev/null 2>&1

lint:
	$(GO) run $(LINTER) run ./...
	$(BELOW) $(GO) run $(LINTER) run ./...
	$(RESEARCH) $(GO) run $(LINTER) run ./...
	@$(WITHCXX) $(GO) run $(LINTER) run ./...

# Every test that needs no server. The first build compiles Apache Beam and takes some minutes. Each example is a program
# of its own, which takes longer to link than to run: make vet compiles them, and make integration runs them. The command is
# linked once for all. The longest tests come first, and three packages at a time keep two cores busy while tests wait.
# Go keeps results of tests for as long as their own module stays: those that read the repository around it are run again, and
# those of integration that run the program, if they are run whole. make test SHORT= runs every test whole, as CI does: what
# make integration and make verify run is in it.
TESTPROGRAM = bin/test/dapple
PROGRAM     = DAPPLE_TEST_PROGRAM=$(CURDIR)/$(TESTPROGRAM)
AROUND      = /integration(/(docs|handout|mutation|verify$(if $(SHORT),,|crash|figures)))?$$
ALLTESTS    = $(GO) list -f '{{.Dir}}' ./pipelines/... ./transforms/... ./dp/... ./internal/... ./solver/... ./io/...
program:
	@mkdir -p bin/test && $(GO) build -buildvcs=false -o $(TESTPROGRAM) ./pipelines/dapple
# With -short nothing is linked that has Examples alone, which make integration runs, or nothing to do.
SHORT ?= -short
FORM   = $(or $(SHORT),-timeout=30m) -vet=off -p 3
IDLE   = $(if $(SHORT),|/(crash|figures)$$)
test: program $(if $(EVENTS),suite)
	$(PROGRAM) $(TEST) $(FORM) $$($(ALLTESTS)$(if $(SHORT), | while read -r d; do ! grep -qs '^func Test' $$d/*_test.go || echo $$d; done))
	$(BELOW) $(PROGRAM) $(TEST) $(FORM) -count=1 $$($(GO) list ./... | grep -E '$(AROUND)')
	$(BELOW) $(PROGRAM) $(TEST) $(FORM) $$($(GO) list ./... | grep -vE '$(AROUND)$(IDLE)')
	$(RESEARCH) $(GO) test -short -run TestSmoke ./rivals # every method runs; make nightly has the rest of research

# CI sets EVENTS=out: what tests say is kept there, so that make verify need not run them again.
EVENTS ?=
TEST   = $(if $(EVENTS),$(CURDIR)/bin/suite -log $(CURDIR)/out/test.log -list $(CURDIR)/out/skipped.txt -events $(CURDIR)/$(EVENTS)/$(if $(SHORT),short,whole).json --,$(GO) test)
suite:
	@mkdir -p bin out
	@$(BELOW) $(GO) build -o ../bin/suite ./suite

race:
	$(GO) test -short -race ./dp/... ./internal/... ./solver/... ./io/... ./transforms/...

# Whole pipelines, also across processes, on real tables: the tests that do less with -short, or nothing, and the examples.
# Then against the services and files of others. It ends with one list of all tests that were left out, and why. make verify
# runs the privacy suite, and tests internal/dp.
WHOLE  = $(GO) list -f '{{.Dir}}' ./pipelines/... ./internal/io/... ./internal/kit/... ./internal/model/... ./internal/pipelines/... ./internal/release/... ./internal/request/... ./internal/solver/... ./internal/testkit/... ./internal/transforms/... ./solver/... ./transforms/...
WHOLEBELOW = $(GO) list -f '{{.Dir}}' ./... | grep -v integration/privacy
SUITE  = $(PROGRAM) $(CURDIR)/bin/suite -list $(CURDIR)/out/skipped.txt $(if $(EVENTS),-events $(CURDIR)/$(EVENTS)/whole.json) -log $(CURDIR)/out
longer: program suite
	$(SUITE)/packages.log -longer -- -p 3 -count=1 -timeout 30m $$($(WHOLE))
	$(SUITE)/shown.log -- -p 3 $$($(ALLTESTS) | while read -r d; do grep -qs '^func Test' $$d/*_test.go || ! grep -qs '^func Example' $$d/*_test.go || echo $$d; done)
	$(BELOW) $(SUITE)/integration.log -longer -- -p 3 -count=1 -timeout 30m $$($(WHOLEBELOW))
programs: program suite
	$(SUITE)/examples.log -- -p 3 -count=1 -timeout 30m $$($(GO) list -f '{{if .TestGoFiles}}{{.Dir}}{{end}}' ./examples/...)
	$(GO) -C integration/outside vet . && $(GO) -C integration/outside test -count=1 . # programs of strangers
others: program
	@$(PROGRAM) GO=$(GO) $(SERVICES)/run.sh
integration:
	@rm -f out/skipped.txt
	@$(MAKE) --no-print-directory longer programs others

# Emulators of BigQuery and Cloud Storage; DuckDB, parquet-go, pyarrow, Polars and hyparquet on the same
# Parquet files. What is missing here is left out and listed at the end.
services:
	@rm -f out/skipped.txt
	@$(MAKE) --no-print-directory others

# Python with apache-beam, if make services has installed it.
PYBEAM = $(wildcard $(CURDIR)/bin/beam/bin/python)

# Runs on Flink, embedded in Beam's job server for it and as a cluster, and on Spark: six minutes of CPU, and another the
# first time, when Maven fetches 160 MB for Flink and 300 MB for Spark. They are left out, with a message, if there is no
# Java or no Maven. CI runs TestFlink if what an engine sees has changed.
ENGINES ?= .
FLINK := $(CURDIR)/bin/flink-job-server.jar
SPARK := $(CURDIR)/bin/spark-job-server
MAVEN = command -v java >/dev/null && mvn -q -B -f $< -Djar="$@" -Dtarget="$(CURDIR)/out/$(basename $(notdir $@))" package && touch "$@" || \
	echo "engines left out: there is no Java, or no Maven, or Maven cannot make $(notdir $@)"
$(FLINK): $(SERVICES)/engines/flink/pom.xml
	@mkdir -p bin out && $(MAVEN)
$(SPARK): $(SERVICES)/engines/spark/pom.xml
	@mkdir -p bin out && $(MAVEN)
engines: $(FLINK) $(if $(findstring Flink,$(ENGINES)),,$(SPARK))
	@cd $(SERVICES)/engines && DAPPLE_BEAM="$${DAPPLE_BEAM:-$(PYBEAM)}" \
		DAPPLE_FLINK_SERVER="$$(ls -d "$(FLINK)" 2>/dev/null)" DAPPLE_SPARK_SERVER="$$(ls -d "$(SPARK)" 2>/dev/null)" \
		$(GO) test -count=1 -timeout 40m -run '$(ENGINES)' .

# The BigQuery emulator alone: 5 minutes of CPU the first time. One of its packages takes 7 GB to compile without a limit.
emulator: export GOMEMLIMIT = 5GiB
emulator:
	@mkdir -p bin
	cd $(SERVICES)/emulator && $(GO) build -o ../../../bin/bigquery-emulator github.com/goccy/bigquery-emulator/cmd/bigquery-emulator

# Privacy, computed: exact laws, replays, samplers, audit, accountant, checklist; then the seeded defects. CI gives RESULTS, what
# has run already, and BASE: of the defects in files that have not changed since that commit a quarter is tried.
RESULTS ?=
BASE    ?=
verify:
	$(BELOW) $(GO) run ./verify -results '$(RESULTS)' -base '$(BASE)'

# The same at nightly sizes and with fresh seeds; a failure prints DAPPLE_SEED=…, which repeats it.
verify-long:
	$(BELOW) $(GO) run ./verify -long

# What the long CI runs: nightly sizes, the seeded defects, the fit on all made-up families of tables, the bars on whole
# wide tables and of three seeds, a fault at every file operation of a run, the estimates of a run on a terminal, 10,000
# changes of every released file, what the short CI leaves out if nothing has touched it (the emulator, Flink), then a minute
# of every fuzz target.
nightly: verify-long
	$(BELOW) DAPPLE_NIGHTLY=1 $(GO) test -count=1 -timeout 5h -run 'TestBars|TestWideBars|TestFaultsAtEveryFileOperation|TestBooksByAModel|TestReadingTakesNoMemory|TestFigures' . ./crash ./figures
	$(RESEARCH) DAPPLE_NIGHTLY=1 $(GO) test -count=1 -timeout 5h ./...
	DAPPLE_NIGHTLY=1 $(GO) test -count=1 -timeout 5h -run 'TestEstimatesOnATerminal|TestNoChangedFileIsVerified|TestOrderNeverHurts|TestDiagonals|TestSumsHold' ./pipelines/dapple ./internal/pipelines ./internal/release/answer
	cd $(SERVICES) && DAPPLE_NIGHTLY=1 $(GO) test -count=1 -timeout 1h -run TestReadingTakesNoMemory ./gcs
	$(MAKE) integration engines
	$(MAKE) fuzz FUZZTIME=60s

# The seeded defects alone: each must make its named test fail.
mutation:
	$(BELOW) $(GO) run ./mutation

# What each heuristic of the fit earns: the errors of the fit without it. ABLATE=-short is a first look.
ABLATE ?= -page
ablate:
	$(RESEARCH) $(GO) run ./ablate $(ABLATE)

# Every fuzz target in turn. BRIEF=1 searches without the coverage that guides a long search: instrumenting Apache Beam and
# all else takes three minutes. FUZZED="./dp/domain ./io/avroio" names packages. Go sometimes reports the end of the time as a
# failure, with no input that failed.
BRIEF ?=
fuzz:
	@mkdir -p out
	@for pkg in $${FUZZED:-$$(grep -rl --include=*_test.go --exclude-dir=services '^func Fuzz' . | xargs -n1 dirname | sort -u)}; do \
		run="$(GO) test"; \
		if [ -n "$(BRIEF)" ]; then \
			mkdir -p out/fuzz && (cd $$pkg && $(GO) test -c -o $(CURDIR)/out/fuzz/fuzz.test .) || exit 1; \
			run="$(CURDIR)/out/fuzz/fuzz.test -test.fuzzcachedir=$(CURDIR)/out/fuzz/$$pkg"; \
		fi; \
		for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$pkg/*_test.go | sed 's/func //' | sort -u); do \
			echo "$$pkg $$f"; (cd $$pkg && $$run -test.run '^$$' -test.fuzz "^$$f\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 10x) >out/fuzz.log 2>&1; \
			status=$$?; cat out/fuzz.log; [ $$status = 0 ] || { grep -q 'context deadline exceeded' out/fuzz.log && ! grep -q 'Failing input' out/fuzz.log; } || exit 1; \
		done; \
	done

# Accuracy by method and ε with CPU time, of the command as a process on UCI Adult too, with a classifier if there is
# scikit-learn; how near predictions of it come; then counting, sampling and formats with allocations, and the Parquet
# format along with DuckDB and parquet-go; then a million rows in Python beside the same in Go.
bench:
	$(RESEARCH) $(GO) run ./bench -page bench
	$(RESEARCH) $(GO) run ./bench -predictions -seeds 1
	$(RESEARCH) $(GO) run ./widebench
	$(GO) test -run '^$$' -bench . -benchmem ./internal/transforms/... ./internal/model/population ./io/... ./internal/io/...
	@$(WITHCXX) $(GO) test -run '^$$' -bench . -benchmem ./oracles
	@cd $(SERVICES) && DAPPLE_ROWS=1000000 DAPPLE_BEAM="$${DAPPLE_BEAM:-$(PYBEAM)}" DAPPLE_PYTHON="$${DAPPLE_PYTHON:-$(wildcard $(CURDIR)/bin/python/bin/python)}" \
		$(GO) test -count=1 -v -run TestCost ./beam ./python

# The errors that the paper bounds, measured on tables of a known law: data, pictures and page in integration/research/paper.
paper:
	$(RESEARCH) $(GO) run ./paper

# A made-up table of 50,000 people and their visits becomes a synthetic one.
demo:
	@echo "building (the first time Apache Beam is compiled, which takes some minutes) ..."
	@mkdir -p bin out
	@$(GO) build -o bin/dapple ./pipelines/dapple
	@$(GO) build -o bin/visits ./examples/visits
	@rm -rf $(DEMO)
	@mkdir -p $(DEMO)
	@bin/visits -people 50000 -seed 1 -out $(DEMO)/visits.csv
	@bin/dapple synth --domain=examples/visits/people.yaml --input=$(DEMO)/visits.csv --output=$(DEMO)/synthetic --layout=two --epsilon=1 --delta=1e-9
	@echo
	@bin/dapple sample --model=$(DEMO)/synthetic --output=$(DEMO)/again --layout=two --format=csv --shards=1 --sample_seed=1 --quiet >/dev/null
	@echo "the first three people, drawn again:"
	@head -4 $(DEMO)/again/people/part-00000-of-00001.csv
	@echo "and the first ten visits:"
	@head -11 $(DEMO)/again/events/part-00000-of-00001.csv
	@echo
	@echo "privacy report:    $(DEMO)/synthetic.release/_report.html"
	@echo "privacy statement: $(DEMO)/synthetic.release/_privacy.json"
	@echo "people:            $(DEMO)/synthetic/people/*.parquet"
	@echo "their visits:      $(DEMO)/synthetic/events/*.parquet"

# All that is handed out: static binaries of the command for other machines; wheels for Python, packages and images that
# carry them; the licences of all that is in them, as texts and as CycloneDX; checksums. make release VERSION=v0.1.0 names
# the version. Without VERSION the commit names it: without Git it has no name, whatever GOFLAGS say. PLATFORMS=linux/amd64
# makes what one machine needs.
LICENCES  = LICENSE pipelines/dapple/THIRD_PARTY_NOTICES
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
release:
	@rm -rf out/release && mkdir -p out/release
	@for p in $(PLATFORMS); do \
		name=dapple-$${p%/*}-$${p#*/}; case $$p in windows/*) name=$$name.exe;; esac; echo $$name; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -buildvcs=true -trimpath -ldflags='-s -w -X github.com/dapple-dp/dapple/internal/kit/buildinfo.released=$(VERSION)' -o out/release/$$name ./pipelines/dapple || exit 1; \
		$(GO) version -m out/release/$$name | grep -q 'vcs\.revision' || { echo "$$name has no version: make it in a clone, since Go sees no commit in a worktree"; exit 1; }; \
	done
	@cp $(LICENCES) install.sh out/release
	@$(HANDOUT) sbom $(CURDIR) "$(VERSION)" >out/release/dapple.cdx.json
	@$(MAKE) --no-print-directory packed packages images
	@cd out/release && sha256sum * >SHA256SUMS && cat SHA256SUMS

wheel: release

RELEASED ?= out/release
packed:
	@command -v python3 >/dev/null || { echo "the wheels left out: there is no python3"; exit 0; }; \
	for p in $(PLATFORMS); do \
		case $$p in \
			linux/amd64) tag=manylinux_2_17_x86_64;; linux/arm64) tag=manylinux_2_17_aarch64;; \
			darwin/amd64) tag=macosx_12_0_x86_64;; darwin/arm64) tag=macosx_12_0_arm64;; \
			windows/amd64) tag=win_amd64;; windows/arm64) tag=win_arm64;; \
			*) echo "no wheel for $$p"; continue;; \
		esac; \
		name=dapple-$${p%/*}-$${p#*/} end=; case $$p in windows/*) end=.exe;; esac; \
		rm -rf out/wheel && mkdir -p out/wheel && cp -r pipelines/python/src pipelines/python/pyproject.toml pipelines/python/README.md $(LICENCES) out/wheel && \
		mkdir -p out/wheel/src/dapple/_bin && cp $(RELEASED)/$$name$$end out/wheel/src/dapple/_bin/dapple$$end && \
		{ [ -z "$(VERSION)" ] || sed -i.old 's/^version = .*/version = "$(VERSION:v%=%)"/' out/wheel/pyproject.toml; } && \
		python3 -m pip wheel -q --disable-pip-version-check --no-deps -w $(RELEASED) --config-settings=--build-option=--plat-name=$$tag ./out/wheel || exit 1; \
	done

# Packages for Debian and Red Hat, and images of containers, of the programs for Linux in RELEASED. make template BASE=DIR is
# the image of a Flex Template for Dataflow: DIR is an OCI layout of Google's launcher,
# crane pull --format=oci gcr.io/dataflow-templates-base/go-template-launcher-base DIR
HANDOUT  = $(GO) -C integration run ./handout
MACHINES = $(patsubst linux/%,%,$(filter linux/%,$(PLATFORMS)))
TAG      = $(or $(VERSION),v0.0.0)
packages:
	@rm -rf out/man && mkdir -p out/man && DAPPLE_MAN=$(CURDIR)/out/man $(GO) test -count=1 -run TestManual ./pipelines/dapple
	@for m in $(MACHINES); do for form in deb rpm; do \
		MACHINE=$$m RELEASE=$(TAG) RELEASED=$(RELEASED) $(GO) run $(PACKAGER) package -f pipelines/deploy/nfpm.yaml -p $$form -t $(RELEASED)/ || exit 1; \
	done; done
images:
	@for m in $(MACHINES); do \
		$(HANDOUT) image -root=.. -program=$(abspath $(RELEASED))/dapple-linux-$$m -arch=$$m -version=$(TAG) $(abspath $(RELEASED))/dapple-linux-$$m.oci.tar || exit 1; \
	done
template:
	@$(HANDOUT) image -root=.. -base=$(abspath $(BASE)) -program=$(abspath $(RELEASED))/dapple-linux-amd64 -arch=amd64 -version=$(TAG) \
		-at=template/dapple -env=FLEX_TEMPLATE_GO_BINARY=/template/dapple $(abspath $(RELEASED))/dapple-template.oci.tar

# A release as VERSION makes it, which every later version has to read: part of each new version's commit.
golden:
	@test -n "$(VERSION)" || { echo "make golden VERSION=v0.1.0"; exit 1; }
	@mkdir -p bin && $(GO) build -ldflags='-s -X github.com/dapple-dp/dapple/internal/kit/buildinfo.released=$(VERSION)' -o bin/dapple-golden ./pipelines/dapple
	@internal/pipelines/testdata/releases/make.sh bin/dapple-golden internal/pipelines/testdata/releases/$(VERSION)

cover:
	$(GO) test -short -coverprofile=out/cover.out ./... && $(GO) tool cover -func=out/cover.out | tail -1

clean:
	rm -rf bin out
