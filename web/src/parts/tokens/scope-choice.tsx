import { Checkbox } from "@mantine/core";
import { permissionTitle } from "../../../../contract/text/permission-text.ts";
import { scopableActions } from "../../../../contract/vocabulary.ts";

export type Scopes = Record<string, string[]>;
type Group = keyof typeof scopableActions;

const groups = (Object.keys(scopableActions) as Group[]).map(
  (group) => [group, permissionTitle(group)] as const,
);

interface Props {
  scopes: Scopes;
  /** Whether the creator holds the permission: without it, they can't give it to a token. */
  isHeld: (group: string, action: string) => boolean;
  onChange: (scopes: Scopes) => void;
}

/** The actions to which a token is limited, by group. */
export function ScopeChoice({ scopes, isHeld, onChange }: Props) {
  const toggle = (group: Group, action: string, isOn: boolean) => {
    const actions = (scopes[group] ?? []).filter((one) => one !== action);
    const { [group]: _old, ...rest } = scopes;
    const next = isOn ? [...actions, action] : actions;
    onChange(next.length > 0 ? { ...rest, [group]: next } : rest);
  };
  return (
    <div className="stack gap-3">
      {groups.map(([group, label]) => (
        <fieldset key={group} className="row wrap scope">
          <legend className="visually-hidden">{label}</legend>
          <span className="scope-name" aria-hidden="true">
            {label}
          </span>
          {scopableActions[group].map((action) => (
            <Scope
              key={action}
              name={`${label}: ${action}`}
              action={action}
              isHeld={isHeld(group, action)}
              isOn={scopes[group]?.includes(action) ?? false}
              onToggle={(isOn) => toggle(group, action, isOn)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}

interface ScopeProps {
  name: string;
  action: string;
  isHeld: boolean;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}

const Scope = ({ name, action, isHeld, isOn, onToggle }: ScopeProps) => (
  <Checkbox
    size="xs"
    label={action}
    title={isHeld ? undefined : "You don't hold this permission, so you can't give it."}
    aria-label={isHeld ? name : `${name}. You don't hold this permission.`}
    disabled={!isHeld}
    checked={isOn}
    onChange={(event) => onToggle(event.currentTarget.checked)}
  />
);
