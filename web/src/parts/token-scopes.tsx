import { Checkbox, Group } from "@mantine/core";
import { Fragment } from "react";
import { scopableActions } from "../../../contract/vocabulary.ts";

export type Scopes = Record<string, string[]>;

const groups: { group: keyof typeof scopableActions; label: string; object: string }[] = [
  { group: "skill", label: "Skills", object: "skills" },
  { group: "folder", label: "Folders", object: "folders" },
  { group: "auditLog", label: "Audit log", object: "the audit log" },
  { group: "githubSync", label: "Repository sync", object: "the repository sync" },
];

/** The actions to which a token is narrowed, by group. */
export function TokenScopes({ value, onChange }: { value: Scopes; onChange: (scopes: Scopes) => void }) {
  const toggle = (group: string, action: string, isOn: boolean) => {
    const actions = (value[group] ?? []).filter((one) => one !== action);
    const next = { ...value, [group]: isOn ? [...actions, action] : actions };
    onChange(Object.fromEntries(Object.entries(next).filter(([, list]) => list.length > 0)));
  };
  return (
    <fieldset className="token-scopes">
      <legend className="sr">Actions</legend>
      {groups.map(({ group, label }) => (
        <Fragment key={group}>
          <span aria-hidden="true">{label}</span>
          <Group gap="md">
            {scopableActions[group].map((action) => (
              <Checkbox
                key={action}
                size="xs"
                label={action}
                aria-label={`${label}: ${action}`}
                checked={value[group]?.includes(action) ?? false}
                onChange={(event) => toggle(group, action, event.currentTarget.checked)}
              />
            ))}
          </Group>
        </Fragment>
      ))}
    </fieldset>
  );
}

const listOf = new Intl.ListFormat("en");
const thirdPerson = (verb: string) => (verb.endsWith("ss") ? `${verb}es` : `${verb}s`);

/** The scopes in words, as in `reads and updates skills`. Without scopes nothing is narrowed. */
export function describeScopes(scopes: Scopes | undefined): string {
  if (!scopes) return "does everything that you may do";
  const parts = groups.flatMap(({ group, object }) => {
    const actions = scopes[group] ?? [];
    if (actions.length === 0) return [];
    return [`${listOf.format(actions.map(thirdPerson))} ${object}`];
  });
  return parts.length === 0 ? "reads what is public, and nothing else" : listOf.format(parts);
}
