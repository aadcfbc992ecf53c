"""Faults planted in configs, to be found by the type check and by the published schema alike."""

from __future__ import annotations

WRONG = [
    ("target: 5", "`target` must be a mapping, not the number 5"),
    ("target: []", "`target` must be a mapping, not a list"),
    ("target: {service: 5}", "`target.service` must be text, not the number 5: put it in quotes"),
    ("target: {service: true}", "`target.service` must be text, not true: put it in quotes"),
    (
        "target: {gpus_per_node: many}",
        '`target.gpus_per_node` must be a whole number of at least 0, not the text "many"',
    ),
    ("target: {gpus_per_node: -1}", "`target.gpus_per_node` must be a whole number of at least 0, not the number -1"),
    ("target: {gpus_per_node: true}", "`target.gpus_per_node` must be a whole number of at least 0, not true"),
    (
        "target: {cpus_per_node: []}",
        "`target.cpus_per_node` must be a number, or a quantity such as 512Gi or 500m, not a list",
    ),
    ("target: {rdma: 'yes'}", '`target.rdma` must be true or false, not the text "yes": write true'),
    ("target: {rdma: perhaps}", '`target.rdma` must be true or false, not the text "perhaps"'),
    ("target: {labels: {version: 1}}", "`target.labels.version` must be text, not the number 1: put it in quotes"),
    ("target: {labels: 5}", "`target.labels` must be a mapping, not the number 5"),
    (
        "environment: {setup: 5}",
        "`environment.setup` must be text or a list of texts, not the number 5: put it in quotes",
    ),
    (
        "environment: {setup: {a: b}}",
        "`environment.setup` must be text or a list of texts, not the mapping {a: b}",
    ),
    (
        "jobs: [{command: [a, null]}]",
        "`jobs[0].command[1]` must be text, not null: write a value, or remove the item",
    ),
    ("jobs: {name: x}", "`jobs` must be a list, not the mapping {name: x}"),
    ("jobs: [x]", '`jobs[0]` must be a mapping, not the text "x"'),
    (
        "jobs: [{instance_count: two}]",
        '`jobs[0].instance_count` must be a whole number of at least 1, not the text "two"',
    ),
    (
        "jobs: [{instance_count: '2'}]",
        '`jobs[0].instance_count` must be a whole number of at least 1, not the text "2": take the quotes off',
    ),
    ("jobs: [{instance_count: 0}]", "`jobs[0].instance_count` must be a whole number of at least 1, not the number 0"),
    (
        "jobs: [{instance_count: 2.5}]",
        "`jobs[0].instance_count` must be a whole number of at least 1, not the number 2.5",
    ),
    (
        "jobs: [{sku: 5}]",
        "`jobs[0].sku` must be a SKU text, or a mapping of node ranges to SKU texts, not the number 5",
    ),
    ("jobs: [{sku: {'1': 5}}]", '`jobs[0].sku["1"]` must be text, not the number 5: put it in quotes'),
    (
        "jobs: [{sla_tier: Premum}]",
        (
            '`jobs[0].sla_tier` must be one of Basic, Standard, Premium (in any case), not the text "Premum"; '
            "did you mean `Premium`?"
        ),
    ),
    (
        "jobs: [{process_count_per_node: x}]",
        (
            "`jobs[0].process_count_per_node` must be a whole number of at least 0 (0 means not set), "
            'or an amlt variable such as ${PROCESSES}, not the text "x"'
        ),
    ),
    (
        "jobs: [{submit_args: {env: {A: {from_env: 5}}}}]",
        (
            "`jobs[0].submit_args.env.A` must be a text, a number, true or false, or a secret reference: "
            "{from_env: NAME} or {from_file: PATH}, not the mapping {from_env: 5}"
        ),
    ),
    (
        "jobs: [{submit_args: {env: {A: {from_env: B, from_file: c}}}}]",
        (
            "`jobs[0].submit_args.env.A` must be a text, a number, true or false, or a secret reference: "
            "{from_env: NAME} or {from_file: PATH}, not the mapping {from_env: B, from_file: c}"
        ),
    ),
    ("jobs: [{submit_args: {env: [A=b]}}]", "`jobs[0].submit_args.env` must be a mapping, not a list"),
    ("storage: {a: 5}", "`storage.a` must be a mapping, not the number 5"),
    ("storage: {a: {mount_dir: []}}", "`storage.a.mount_dir` must be text, not a list"),
    ("description: 5", "`description` must be text, not the number 5: put it in quotes"),
    ("_extra: text", '`_extra` must be a mapping, not the text "text"'),
]
"""A config with one value of the wrong type, drawn as YAML, and what is said of it."""

UNKNOWN = [
    ("enviroment: {}", "enviroment", "unknown key `enviroment`; did you mean `environment`?"),
    ("jobs: [{comand: x}]", "jobs[0].comand", "unknown key `jobs[0].comand`; did you mean `command`?"),
    ("target: {image: x}", "target.image", "unknown key `target.image`; it belongs in `environment`"),
    ("jobs: [{env: {}}]", "jobs[0].env", "unknown key `jobs[0].env`; it belongs in `jobs[0].submit_args`"),
    ("storage: {a: {conainer_name: x}}", "storage.a.conainer_name", "did you mean `container_name`?"),
    ("raw: {}", "raw", "unknown key `raw`: nothing reads it"),
    ("extra: {}", "extra", "unknown key `extra`; did you mean `_extra`?"),
    (
        "jobs: [{x1: 1}, {x1: 2}, {x1: 3}]",
        "jobs[0].x1",
        "unknown key `jobs[0].x1`: nothing reads it (and in 2 more of `jobs`)",
    ),
]
"""A config with keys that nothing reads, the first key path of them, and how what is said of it ends."""
