import { Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foldersQuery } from "../../../api/account/session.ts";
import { movePlanQuery, moveSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine } from "../../../parts/copy/shell.ts";
import { ConfirmDialog } from "../../../parts/forms/confirm-dialog.tsx";
import { ReachNote } from "../../../parts/reach/reach-note.tsx";
import { Problem } from "../../../parts/states/problem.tsx";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { useRights, useSkillAddress } from "../context.ts";
import { useChanged } from "../use-changed.ts";
import { ExposureNote } from "./exposure.tsx";

/** Value of the library's root in the select, which takes no null. */
const root = "root";

/** Moves the skill to another folder, after showing who can read it there. */
export function FolderForm({ skill }: { skill: Skill }) {
  const { org, slug, ref } = useSkillAddress();
  const { isMember } = useRights();
  const changed = useChanged(ref);
  const { data: folders = [] } = useQuery({ ...foldersQuery(org), enabled: isMember });
  const own = skill.folderId ?? root;
  const [chosen, setChosen] = useState(own);
  const [isAsking, setAsking] = useState(false);
  const isChanged = chosen !== own;
  const target = chosen === root ? null : chosen;
  const effect = useQuery({ ...movePlanQuery(ref, target), enabled: isChanged, retry: false });
  const path = folders.find(({ id }) => id === chosen)?.path ?? "/";
  const apply = async () => {
    await moveSkill(ref, target);
    await changed();
  };
  return (
    <section className="panel" aria-label="Folder">
      <header>
        <h2>Folder</h2>
      </header>
      <div className="body stack gap-4">
        <Select
          label="Folder"
          searchable
          limit={100}
          data={[
            { value: root, label: "the library's root" },
            ...folders.map((folder) => ({ value: folder.id, label: visibleText(folder.path) })),
          ]}
          value={chosen}
          allowDeselect={false}
          onChange={(value) => setChosen(value ?? own)}
        />
        {isChanged && effect.data && <ExposureNote effect={effect.data} />}
        {isChanged && <Problem error={effect.error} />}
        {isChanged && <Command text={commandLine("svc", "move", `${org}/${slug}`, path)} />}
      </div>
      <footer>
        <Button disabled={!isChanged || !effect.data} onClick={() => setAsking(true)}>
          Move
        </Button>
      </footer>
      {isAsking && effect.data && (
        <ConfirmDialog title={`Move to ${path}`} action="Move" run={apply} onClose={() => setAsking(false)}>
          <ExposureNote effect={effect.data} />
          {!skill.withheld && <ReachNote skillRef={ref} semver={skill.currentSemver} can={skill.can} />}
        </ConfirmDialog>
      )}
    </section>
  );
}
