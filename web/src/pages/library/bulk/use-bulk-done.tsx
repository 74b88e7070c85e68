import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { countText } from "../../../../../contract/text/count-text.ts";
import { foldersQuery } from "../../../api/account/session.ts";
import { invalidateEffective, organizationSkillsQuery } from "../../../api/folders.ts";
import { showUndo } from "../undo-notice.tsx";
import { runSteps, type Step } from "./change.ts";

/** Reads the lists again after a change of several skills, and offers to take it back. */
export function useBulkDone(org: string): (undoSteps: readonly Step[]) => Promise<void> {
  const client = useQueryClient();
  const refresh = async () => {
    client.removeQueries({ queryKey: ["bulk-effect"] });
    await Promise.all([
      client.invalidateQueries({ queryKey: foldersQuery(org).queryKey }),
      client.invalidateQueries({ queryKey: organizationSkillsQuery(org).queryKey }),
      client.invalidateQueries({ queryKey: ["/api/skills/{skill}"] }),
      invalidateEffective(client),
    ]);
  };
  const undo = async (steps: readonly Step[]) => {
    const failures = await runSteps(steps);
    await refresh();
    if (failures.length > 0)
      notifications.show({
        autoClose: false,
        color: "red",
        message: `${countText(failures.length, "skill")} could not be changed back. ${failures[0]?.message}`,
      });
  };
  return async (steps) => {
    await refresh();
    if (steps.length === 0) return;
    const id = `changed-${steps.map(({ skill }) => skill.id).join()}`;
    showUndo(id, `Changed ${countText(steps.length, "skill")}`, () => void undo(steps));
  };
}
