import { Button, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { accessActions, type AccessAction } from "../../../../contract/vocabulary.ts";
import { foldersQuery, may } from "../../api/account/session.ts";
import { accessCheckQuery, skillSearchQuery, type AccessCheck, type Question } from "../../api/check.ts";
import { Segments } from "../../parts/page/segments.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { whyOf } from "../library/panel/reasons.ts";
import { PrincipalField, type FieldProps, type Principal } from "./check-principal.tsx";
import { PeoplePage } from "./people-page.tsx";

/** The question in the address, so that an answer can be linked. */
interface Search {
  user?: string;
  /** User name of the member. */
  name?: string;
  token?: string;
  can?: AccessAction;
  /** `org/slug`. */
  skill?: string;
  /** Id of a folder. */
  folder?: string;
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export const Route = createFileRoute("/$org/-/people/check")({
  validateSearch: (raw: Record<string, unknown>): Search => ({
    user: textOf(raw["user"]),
    name: textOf(raw["name"]),
    token: textOf(raw["token"]),
    can: accessActions.find((action) => action === raw["can"]),
    skill: textOf(raw["skill"]),
    folder: textOf(raw["folder"]),
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
  const asked = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const [principal, setPrincipal] = useState<Principal>(() =>
    asked.token === undefined
      ? { kind: "member", id: asked.user ?? null, name: asked.name }
      : { kind: "token", id: asked.token },
  );
  const [action, setAction] = useState<AccessAction>(asked.can ?? "read");
  const [kind, setKind] = useState<"skill" | "folder">(asked.folder === undefined ? "skill" : "folder");
  const [subject, setSubject] = useState<string | null>(asked.folder ?? asked.skill ?? null);
  const search: Search = {
    ...(principal.kind === "token"
      ? { token: principal.id ?? undefined }
      : { user: principal.id ?? undefined, name: principal.name }),
    can: action,
    [kind]: subject ?? undefined,
  };
  const isComplete = principal.id !== null && subject !== null;
  const isAsked = isComplete && searchKeys.every((key) => search[key] === asked[key]);
  const check = useQuery({ ...accessCheckQuery(org, questionOf(search)), enabled: isAsked });
  return (
    <form
      className="form stack gap-4"
      aria-label="Check access"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAsked) void check.refetch();
        else void navigate({ search, replace: true });
      }}
    >
      <PrincipalField org={org} hasTokens={hasTokens} value={principal} onChange={setPrincipal} />
      <ActionField value={action} onChange={setAction} />
      <SubjectField
        org={org}
        kind={kind}
        value={subject}
        onKind={(next) => {
          setKind(next);
          setSubject(null);
        }}
        onChange={setSubject}
      />
      <Button type="submit" w="fit-content" loading={check.isFetching} disabled={!isComplete}>
        Check
      </Button>
      <Problem error={check.error} />
      {isAsked && check.data && <Answer check={check.data} action={action} />}
    </form>
  );
}

const searchKeys = ["user", "token", "can", "skill", "folder"] as const satisfies (keyof Search)[];

const questionOf = ({ user, token, can, skill, folder }: Search): Question => ({
  ...(token === undefined ? { userId: user ?? "" } : { principal: { type: "token", id: token } }),
  action: can ?? "read",
  ...(folder === undefined ? { skill: skill ?? "" } : { folderId: folder }),
});

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

const slugOf = (ref: string) => ref.slice(ref.indexOf("/") + 1);
const optionOf = (ref: string) => ({ value: ref, label: slugOf(ref) });

function SkillField({ org, value, onChange }: FieldProps) {
  const [text, setText] = useState(slugOf(value ?? ""));
  const [query] = useDebouncedValue(text.trim(), 200);
  const { data: skills = [] } = useQuery(skillSearchQuery(org, value ? "" : query));
  return (
    <Select
      aria-label="Skill"
      placeholder="Name of a skill"
      searchable
      data={value === null ? skills.map(({ slug }) => optionOf(`${org}/${slug}`)) : [optionOf(value)]}
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
      <Segments
        label="Skill or folder"
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
