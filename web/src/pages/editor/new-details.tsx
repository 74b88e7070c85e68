import { Select, Input } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import {
  skillTypes,
  visibilities,
  type SkillType,
  type Visibility,
} from "../../../../contract/vocabulary.ts";
import { foldersQuery, may, organizationQuery, type Identity } from "../../api/account/session.ts";
import { ApiError } from "../../api/client.ts";
import { newReadersQuery } from "../../api/skills/publishing.ts";
import { RequiredServers } from "../../parts/mcp/required-servers.tsx";
import { Segments } from "../../parts/page/segments.tsx";
import { chooseOrganization } from "../shell/organization/current-organization.ts";
import { Note } from "./drafts/draft-choice.tsx";
import type { PublishState } from "./publish/use-publish.ts";

/** Where a new skill is published, and for whom. */
export function useNewDetails(identity: Identity, search: { org?: string; folder?: string }) {
  const slugs = identity.memberships.map(({ slug }) => slug);
  const [org, setOrg] = useState(chooseOrganization(slugs, search.org)!);
  const [folder, setFolder] = useState(search.folder ?? "");
  const [visibility, setVisibility] = useState<Visibility>("private");
  const [servers, setServers] = useState<string[]>([]);
  const [type, setType] = useState<SkillType>("skill");
  const organization = useQuery(organizationQuery(org));
  const permissions = organization.data?.permissions;
  const reason =
    permissions && !may(permissions, "skill", "create")
      ? `Publishing in ${org} requires the permission to create skills.`
      : "";
  const changeOrg = (slug: string) => {
    setOrg(slug);
    setFolder("");
    setServers([]);
  };
  const requires = visibility === "private" && servers.length > 0;
  const body = {
    mode: "create" as const,
    tenantId: org,
    visibility,
    type,
    folder: folder === "" ? undefined : folder,
    requiredMcpServers: requires ? servers.map((slug) => ({ tenantSlug: org, slug })) : undefined,
  };
  return {
    identity,
    org,
    changeOrg,
    folder,
    setFolder,
    visibility,
    setVisibility,
    servers,
    setServers,
    type,
    setType,
    reason,
    body,
  };
}
type Details = ReturnType<typeof useNewDetails>;

const audiences: Record<Visibility, string> = {
  private: "Members who may read its folder.",
  unlisted: "Members, and everyone who has its link.",
  public: "Everyone. It is listed in the catalog.",
};

export function NewDetails({ details, name }: { details: Details; name: string | undefined }) {
  const { org, visibility, type } = details;
  return (
    <div className="preview stack gap-4">
      <PlaceFields details={details} />
      {visibility === "private" && (
        <RequiredServers org={org} chosen={details.servers} onChange={details.setServers} />
      )}
      <Choice
        label="Type"
        values={skillTypes}
        value={type}
        hint={
          type === "rule"
            ? "Always applies. One text without further files."
            : "Chosen by agents when its description fits."
        }
        onChange={details.setType}
      />
      <p className="meta">
        The name{name === undefined ? "" : ` (${name})`}, description and tags are those of the frontmatter.
      </p>
    </div>
  );
}

/** Organization, folder and visibility, with the number of readers. */
export function PlaceFields({ details }: { details: Details }) {
  const { identity, org, folder, visibility } = details;
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const open = folders.filter(({ managed }) => !managed);
  return (
    <>
      <Select
        label="Organization"
        data={identity.memberships.map(({ slug, name: label }) => ({ value: slug, label }))}
        value={org}
        allowDeselect={false}
        searchable={identity.memberships.length > 10}
        error={details.reason || undefined}
        onChange={(slug) => slug && details.changeOrg(slug)}
      />
      <Select
        label="Folder"
        placeholder="No folder"
        data={open.map(({ path }) => path)}
        value={folder || null}
        clearable
        searchable
        limit={100}
        nothingFoundMessage="No folder matches"
        clearButtonProps={{ "aria-label": "No folder" }}
        onChange={(path) => details.setFolder(path ?? "")}
      />
      <Choice
        label="Visibility"
        values={visibilities}
        value={visibility}
        hint={audiences[visibility]}
        onChange={details.setVisibility}
      />
      <Readers details={details} />
    </>
  );
}

/** How many will read it, and that a restriction overrides the visibility. */
function Readers({ details: { org, folder, visibility } }: { details: Details }) {
  const { data } = useQuery({ ...newReadersQuery(org, folder, visibility), retry: false });
  if (!data) return null;
  const { members } = data;
  const isOverridden = data.visibility === "restricted" && visibility !== "private";
  return (
    <p className="meta row" role="status">
      <Users size={14} aria-hidden="true" />
      <span>
        {countText(members, "member")} of {org} can read it
        {data.visibility === "restricted" && ", since its folder is restricted"}.
        {isOverridden && " Its visibility has no effect there."}
      </span>
    </p>
  );
}

function Choice<T extends string>(props: {
  label: string;
  values: readonly T[];
  value: T;
  hint: string;
  onChange: (value: T) => void;
}) {
  return (
    <Input.Wrapper
      label={props.label}
      description={props.hint}
      inputWrapperOrder={["label", "input", "description"]}
    >
      <div>
        <Segments
          label={props.label}
          data={props.values.map((value) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }))}
          value={props.value}
          onChange={(value) => props.onChange(value)}
        />
      </div>
    </Input.Wrapper>
  );
}

/** The skill of the same name, of which a new version may be meant. */
export function ExistingNote({ state, org }: { state: PublishState; org: string }) {
  if (state.kind !== "failed" || !(state.error instanceof ApiError)) return null;
  const existing = state.error.details["existing"] as { slug?: unknown } | undefined;
  if (state.error.code !== "already_exists" || typeof existing?.slug !== "string") return null;
  return (
    <Note tone="warn">
      <span>
        To publish a new version of it, <a href={`/${org}/${existing.slug}/edit`}>edit {existing.slug}</a>.
        Your draft is kept.
      </span>
    </Note>
  );
}
