import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Failed } from "../../../parts/states/failed.tsx";
import { openBase, type BaseReader } from "../base-reader.ts";
import { Note } from "../drafts/draft-choice.tsx";
import type { Workspace } from "../use-workspace.ts";
import type { Comparison } from "../workspace.tsx";
import { ChangeRows } from "./change-rows.tsx";
import type { ChangedFile } from "./changed-file.ts";
import { otherFiles, type Taking } from "./other-files.ts";

const label = "Other side";

/** Another version next to the edit, from which its changes can be taken over; none for the edited version itself. */
export function useOtherSide(
  refText: string,
  version: number | undefined,
  workspace: Workspace,
): { note: ReactNode; comparison: Comparison } | undefined {
  const client = useQueryClient();
  const { type, base } = workspace;
  const isOther = version !== undefined && version !== base?.version;
  const other = useQuery({
    queryKey: ["base", { skill: refText, version }],
    staleTime: Infinity,
    gcTime: 0,
    enabled: isOther,
    queryFn: () => openBase(client, refText, version!, type),
  });
  if (!isOther) return undefined;
  return {
    note: other.data && (
      <Note tone="accent">
        <span>
          Combining {base?.semver} with {other.data.base?.semver}: take over what you want to keep under{" "}
          <b>{label}</b>, then publish.
        </span>
      </Note>
    ),
    comparison: {
      label,
      content: other.isError ? (
        <Failed error={other.error} reset={() => void other.refetch()} />
      ) : other.data ? (
        <OtherSide workspace={workspace} other={other.data} />
      ) : null,
    },
  };
}

function OtherSide({ workspace, other }: { workspace: Workspace; other: BaseReader }) {
  const { files, reader, takeFiles, change } = workspace;
  const [changed, setChanged] = useState<ChangedFile[]>();
  const [failed, setFailed] = useState("");
  useEffect(() => {
    let isCurrent = true;
    const take = (taking: Taking) => {
      const taken = taking(takeFiles());
      setFailed(taken ? "" : "These lines were edited meanwhile. Take them over from the new comparison.");
      if (taken) change(taken);
    };
    otherFiles({ files, reader, other, take }).then(
      (found) => isCurrent && setChanged(found),
      (error: unknown) => isCurrent && setFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [files, reader, other, takeFiles, change]);
  return (
    <>
      {failed !== "" && (
        <p className="preview danger" role="alert">
          {failed}
        </p>
      )}
      {changed?.length === 0 && (
        <p className="preview sub">
          Your text has all of version {other.base?.semver}: there is no difference.
        </p>
      )}
      {changed && changed.length > 0 && <ChangeRows files={changed} label={label} />}
    </>
  );
}
