"""The shared parts of the tests. Take the first row of a table that can answer the test's question.

Who answers in place of a site:

- `memory_service`: a service with reads that is a dictionary, and whose writes end as the test says. For the
  decisions of a run, without a socket. `library_service` is the same with terms, people and files: for pulls.
- `strict_service`: a server of its own, written from the document alone, that refuses each deviation. For all
  that pressync sends in the dialect `documented`. `hostile/service` adds one fault at one request, and
  `hostile/faults` says what each fault means: for the sweeps.
- `embedded_wordpress`: the program's own service as a WordPress, with faults on request. For whole runs in
  the dialect `wordpress`. Its behaviour is compared with real sites in tests/live.
- `wordpress_lookalike`: the reads by which a WordPress describes itself. For `doctor`, `init` and `login`.
- `github_lookalike`: GitHub's comments and pull requests. For the Action and `propose`.
- `forge_lookalikes`: Forgejo's pull requests, and GitLab's answer to the options of a push. For `propose`.
- `wire`: a server that sends the bytes and ends that a test names. For HTTP; `lines` has bad peers.
- tests/live/sites: three real WordPress. For each claim about WordPress.

`peers` gives several of them to one test. `contract` holds all of them to the same promises.

What stands between a test and a site:

- `repository`: a real Git repository, with the verbs of a story. `clones`, `shared_manifest` and `hooked` add
  clones, a reference that they share, and hooks.
- `syncing`: `Site` is a repository and an address, planned and synced in process.
- `library_repository`, `desk`: a repository before a service in memory. A desk also edits the site.
- `terminal`: the command line in process. `warm` runs it in processes, with the imports paid once.
- `builders`: nouns with all that they need. A test names the fields that matter to it.
- `interleaving`: the answers of a site come at the worst moments, between two looks of a run.
- `states`, `controls`, `hand`: a state on the disk, the control of a run, and the renderer, for one module.
- `plan_samples`: one plan, run and status that each format shows.

What gives many cases: `any_manifest` (Hypothesis); `pages`, `site_edits` and `undoing` (random walks, with
models that know nothing of the program); `gallery` (each form of Markdown); `corpora`, `histories` and
`replay` (real trees and their commits). `share` is the share of a sweep that `.ci/run` takes.
"""
