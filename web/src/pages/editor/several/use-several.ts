import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { readSkillText } from "../../../../../contract/checks/skill-rules.ts";
import { readUtf8 } from "../../../../../contract/text/text-encoding.ts";
import { hasParam } from "../../../api/query.ts";
import { noBase } from "../base-reader.ts";
import { checkFiles, rootPathOf } from "../checks.ts";
import type { useNewDetails } from "../new-details.tsx";
import { publish, type Made, type Progress, type Published } from "../publish/publish.ts";
import { useLeaveWarning } from "../publish/use-publish.ts";
import type { DroppedSkill } from "./dropped-skills.ts";

/** A skill of the folder with its name: that of its frontmatter, or of its folder. */
export interface CheckedSkill extends DroppedSkill {
  name: string;
  /** First error of its checks, with which it can't be published. */
  error: string | undefined;
}

export type RowState =
  | { kind: "waiting" }
  | { kind: "running"; progress: Progress }
  | { kind: "published"; published: Published }
  | { kind: "failed"; message: string };

type Details = ReturnType<typeof useNewDetails>;

/**
 * Checks the skills, and publishes them one after the other. A failed one does not stop the others. `folders`: those
 * below the chosen folder, which are created.
 */
export function useSeveral(
  skills: readonly DroppedSkill[],
  details: Details,
  folders: ReadonlyMap<string, string> | undefined,
) {
  const { data: checked } = useQuery({
    queryKey: ["dropped-skills", skills],
    queryFn: () => Promise.all(skills.map(check)),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [states, setStates] = useState<Record<string, RowState>>({});
  const [isRunning, setRunning] = useState(false);
  const made = useRef(new Map<string, Made>());
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  useLeaveWarning(isRunning);
  const set = (path: string, state: RowState) => setStates((old) => ({ ...old, [path]: state }));
  const client = useQueryClient();
  const open =
    checked?.filter(({ path, error }) => error === undefined && states[path]?.kind !== "published") ?? [];

  const publishOne = async (skill: CheckedSkill, signal: AbortSignal) => {
    const { path, files } = skill;
    const target = targetOf(skill, details, folders?.get(path));
    const own = made.current.get(path) ?? {};
    made.current.set(path, own);
    const report = (progress: Progress) => set(path, { kind: "running", progress });
    try {
      const publication = { files, message: "", target, readBase: noBase.read };
      const published = await publish(publication, own, report, signal);
      discardQueries(client, published.org);
      set(path, { kind: "published", published });
    } catch (error) {
      set(path, signal.aborted ? { kind: "waiting" } : failureOf(error));
    }
  };
  const start = async () => {
    if (controller.current) return;
    const { signal } = (controller.current = new AbortController());
    setRunning(true);
    for (const { path } of open) set(path, { kind: "waiting" });
    for (const skill of open) if (!signal.aborted) await publishOne(skill, signal);
    controller.current = undefined;
    setRunning(false);
  };
  const cancel = () => controller.current?.abort(new DOMException("Canceled", "AbortError"));
  return { checked, states, isRunning, open, start, cancel };
}

const failureOf = (error: unknown): RowState => ({
  kind: "failed",
  message: error instanceof Error ? error.message : String(error),
});

/** Target of a skill with the details: in the chosen folder, or in `subfolder` of it. */
function targetOf({ name, type }: CheckedSkill, details: Details, subfolder = "") {
  const folder = [details.folder, subfolder].filter((one) => one !== "").join("/");
  const { requiredMcpServers: _servers, folder: _folder, ...body } = details.body;
  return {
    kind: "skill" as const,
    body: {
      ...body,
      mode: "upsert" as const,
      name,
      type,
      ...(folder === "" ? {} : { folder, createFolders: true }),
    },
  };
}

/** Discards what was read of the organization before: a library that its link has prefetched lacks the new skill. */
function discardQueries(client: QueryClient, org: string): void {
  const predicate = hasParam(org);
  client.removeQueries({ type: "inactive", predicate });
  void client.invalidateQueries({ predicate });
}

async function check(skill: DroppedSkill): Promise<CheckedSkill> {
  const { files, type, path } = skill;
  const root = files.find((file) => file.path === rootPathOf({ files, base: undefined, type }));
  const bytes =
    root?.data === undefined ? new Uint8Array() : new Uint8Array(await new Blob([root.data]).arrayBuffer());
  const read = readUtf8(bytes);
  const text = "text" in read ? read.text : "";
  const ownName = path.split("/").at(-1)!;
  const name = readSkillText(text, files.length === 1 ? "markdown" : "package").defaults.name ?? ownName;
  const checked = { files, base: undefined, type, name };
  const [problem] = checkFiles({
    ...checked,
    text: "text" in read ? text : read.fault,
  });
  return { ...skill, name, error: problem?.severity === "error" ? problem.message : undefined };
}
