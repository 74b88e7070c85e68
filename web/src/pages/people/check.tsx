import { Button, SegmentedControl, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { accessActions, type AccessAction } from "../../../../contract/vocabulary.ts";
import { checkAccess, skillSearchQuery, type AccessCheck } from "../../api/check.ts";
import { foldersQuery, may } from "../../api/session.ts";
import { Problem } from "../../parts/problem.tsx";
import { whyOf } from "../library/panel/reasons.ts";
import { PrincipalField, type FieldProps, type Principal } from "./check-principal.tsx";
import { PeoplePage } from "./people-page.tsx";

export const Route = createFileRoute("/$org/-/people/check")({
  validateSearch: (raw: Record<string, unknown>): { user?: string; name?: string } => ({
    user: typeof raw["user"] === "string" ? raw["user"] : undefined,
    name: typeof raw["name"] === "string" ? raw["name"] : undefined,
  }),
  component: CheckPage,
});

function CheckPage() {
  const { org } = Route.useParams();
  return (
    <PeoplePage org={org} title="Check access">
      {({ permissions }) => <Check org={org} hasTokens={may(permissions, "apiToken", "manage")} />}
    </PeoplePage>
  );
}

function Check({ org, hasTokens }: { org: string; hasTokens: boolean }) {
  const { user: first, name } = Route.useSearch();
  const [principal, setPrincipal] = useState<Principal>({ kind: "member", id: first ?? null });
  const [action, setAction] = useState<AccessAction>("read");
  const [kind, setKind] = useState<"skill" | "folder">("skill");
  const [subject, setSubject] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: () =>
      checkAccess(org, {
        ...idOf(principal),
        action,
        ...(kind === "folder" ? { folderId: subject ?? "" } : { skill: subject ?? "" }),
      }),
  });
  const change = (run: () => void) => {
    run();
    check.reset();
  };
  return (
    <form
      className="form stack gap-4"
      aria-label="Check access"
      onSubmit={(event) => {
        event.preventDefault();
        check.mutate();
      }}
    >
      <PrincipalField
        org={org}
        hasTokens={hasTokens}
        known={first !== undefined && name !== undefined ? { value: first, label: name } : undefined}
        value={principal}
        onChange={(value) => change(() => setPrincipal(value))}
      />
      <ActionField value={action} onChange={(value) => change(() => setAction(value))} />
      <SubjectField
        org={org}
        kind={kind}
        value={subject}
        onKind={(next) =>
          change(() => {
            setKind(next);
            setSubject(null);
          })
        }
        onChange={(value) => change(() => setSubject(value))}
      />
      <Button type="submit" w="fit-content" loading={check.isPending} disabled={!principal.id || !subject}>
        Check
      </Button>
      <Problem error={check.error} />
      {check.data && <Answer check={check.data} action={action} />}
    </form>
  );
}

const idOf = ({ kind, id }: Principal) =>
  kind === "token" ? { principal: { type: "token" as const, id: id ?? "" } } : { userId: id ?? "" };

function ActionField({ value, onChange }: { value: AccessAction; onChange: (value: AccessAction) => void }) {
  return (
    <Select
      label="Can do"
      data={accessActions.map((one) => ({ value: one, label: one === "manage" ? "manage access" : one }))}
      value={value}
      allowDeselect={false}
      onChange={(next) => onChange(next ?? "read")}
    />
  );
}

function Answer({ check, action }: { check: AccessCheck; action: AccessAction }) {
  const Icon = check.allowed ? CircleCheck : CircleX;
  return (
    <div className={check.allowed ? "note ok" : "note danger"} role="status">
      <Icon className="icon" />
      <div className="stack">
        <b>
          {check.principal.name} {check.allowed ? "can" : "can't"}{" "}
          {action === "manage" ? "manage access" : action}.
        </b>
        <p>{whyOf(check.reasons)}.</p>
        <p className="sub">
          {check.can.length > 0 ? `In total: ${check.can.join(", ")}.` : "In total: nothing."}
          {check.principal.type === "member" && " A token of theirs can do the same or less."}
        </p>
      </div>
    </div>
  );
}

function SkillField({ org, value, onChange }: FieldProps) {
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 200);
  const { data: skills = [] } = useQuery(skillSearchQuery(org, value ? "" : query));
  return (
    <Select
      aria-label="Skill"
      placeholder="Name of a skill"
      searchable
      data={skills.map(({ id, slug }) => ({ value: id, label: slug }))}
      value={value}
      searchValue={text}
      filter={({ options }) => options}
      nothingFoundMessage="No skill has this name"
      onSearchChange={setText}
      onChange={onChange}
    />
  );
}

function FolderField({ org, value, onChange }: FieldProps) {
  const { data: folders = [] } = useQuery(foldersQuery(org));
  return (
    <Select
      aria-label="Folder"
      placeholder="Path of a folder"
      searchable
      limit={100}
      data={folders.map(({ id, path }) => ({ value: id, label: path }))}
      value={value}
      nothingFoundMessage="No folder has this in its path"
      onChange={onChange}
    />
  );
}

interface SubjectProps extends FieldProps {
  kind: "skill" | "folder";
  onKind: (kind: "skill" | "folder") => void;
}

function SubjectField({ kind, onKind, ...field }: SubjectProps) {
  return (
    <div className="stack">
      <SegmentedControl
        aria-label="Skill or folder"
        size="xs"
        w="fit-content"
        data={[
          { value: "skill", label: "With a skill" },
          { value: "folder", label: "In a folder" },
        ]}
        value={kind}
        onChange={(value) => onKind(value === "folder" ? "folder" : "skill")}
      />
      {kind === "folder" ? <FolderField {...field} /> : <SkillField {...field} />}
    </div>
  );
}
