/** Ready-made pipelines for a trust policy, as in `docs/guides/ci.md`. Pure. */
import type { Policy } from "../../api/organization/ci.ts";

interface WorkflowFile {
  path: string;
  text: string;
}

export function workflowFor(policy: Policy, org: string, audience: string): WorkflowFile {
  return policy.provider === "github" ? gitHub(policy, org, audience) : gitLab(policy, org, audience);
}

/** A text in YAML, which JSON is part of. */
const quoted = (text: string) => JSON.stringify(text);

/** The trigger of a ref filter: branches by default, tags for a filter of tags. */
function triggerOf(ref: string): string {
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
  if (name === undefined) return "branches: [main]";
  return `${kind === "tags" ? "tags" : "branches"}: [${quoted(name)}]`;
}

/** The skill to push: the only one of the policy, or an example. */
const skillOf = ({ skills }: Policy) => skills?.[0]?.slug ?? "my-skill";

function gitHub(policy: Policy, org: string, audience: string): WorkflowFile {
  const skill = skillOf(policy);
  const environment =
    policy.environment === undefined ? "" : `\n    environment: ${quoted(policy.environment)}`;
  const text = `name: Publish skills
on:
  push:
    ${triggerOf(policy.ref)}
permissions:
  contents: read
  id-token: write
jobs:
  publish:
    runs-on: ubuntu-latest${environment}
    env:
      SVC_API_URL: ${audience}
    steps:
      - uses: actions/checkout@v5
      - run: npm install --global "$SVC_API_URL/cli/svc.tgz"
      - run: svc login --oidc-token auto --team ${org}
      - run: svc push ./skills/${skill} --skill ${org}/${skill} --if-changed
`;
  return { path: ".github/workflows/publish-skills.yml", text };
}

function gitLab(policy: Policy, org: string, audience: string): WorkflowFile {
  const skill = skillOf(policy);
  const environment =
    policy.environment === undefined ? "" : `\n  environment: ${quoted(policy.environment)}`;
  const isForTags = policy.ref.startsWith("refs/tags/");
  const rule = isForTags ? "$CI_COMMIT_TAG" : "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH";
  const text = `publish-skills:
  image: node:22${environment}
  rules:
    - if: ${rule}
  variables:
    SVC_API_URL: ${audience}
  id_tokens:
    SVC_ID_TOKEN:
      aud: ${audience}
  script:
    - npm install --global "$SVC_API_URL/cli/svc.tgz"
    - svc login --oidc-token auto --team ${org}
    - svc push ./skills/${skill} --skill ${org}/${skill} --if-changed
`;
  return { path: ".gitlab-ci.yml", text };
}
