import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../../contract/limits.ts";
import { updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { fieldError } from "../../../parts/forms/form.tsx";
import { ReachNote } from "../../../parts/reach/reach-note.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";

const fields = ["deprecated"] as const;

/** Sets, changes or removes the advice against the whole skill. */
export function DeprecationForm({ skill }: { skill: Skill }) {
  const { org, slug, ref } = useSkillAddress();
  const changed = useChanged(ref);
  const own = skill.deprecated;
  const [text, setText] = useState(own ?? "");
  const message = text.trim();
  const save = useMutation({
    mutationFn: (deprecated: string | null) => updateSkill(ref, { deprecated }),
    onSuccess: changed,
  });
  const { isPending, variables } = save;
  return (
    <form
      className="panel"
      aria-label="Deprecation"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(message);
      }}
    >
      <header>
        <h2>Deprecation</h2>
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          Installs keep working. Everyone who installs or updates the skill is shown your message, and lists
          mark it as deprecated.
        </p>
        {!skill.withheld && <ReachNote skillRef={ref} semver={skill.currentSemver} can={skill.can} />}
        <TextInput
          label="Message"
          description="State the remedy, such as the skill to use instead."
          value={text}
          maxLength={limits.deprecation}
          error={fieldError(save.error, "deprecated")}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Problem error={save.error} fields={fields} />
        {message !== "" && message !== own && (
          <Command text={commandLine("svc", "deprecate", `${org}/${slug}`, "-m", message)} />
        )}
      </div>
      <footer className="row">
        <Button
          type="submit"
          disabled={message === "" || message === own}
          loading={isPending && variables !== null}
        >
          {own === undefined ? "Deprecate" : "Save"}
        </Button>
        {own !== undefined && (
          <Button
            variant="default"
            loading={isPending && variables === null}
            onClick={() => save.mutate(null)}
          >
            Remove deprecation
          </Button>
        )}
      </footer>
    </form>
  );
}
