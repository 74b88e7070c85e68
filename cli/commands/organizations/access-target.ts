/** The skill or folder that an access command names. */
import type { FolderPayload } from "../../../contract/payloads/organizations/folders.ts";
import type { SkillPayload } from "../../../contract/payloads/skills/skills.ts";
import type { AccessCalls } from "../../api/calls/access.ts";
import { chooseOrganization, type Organization } from "../../api/choose-organization.ts";
import type { Client } from "../../api/client.ts";
import { parseUnpinnedRef } from "../../arguments/pins.ts";
import type { Context } from "../../context.ts";
import { CliError, invalidArgument, notFound } from "../../errors.ts";
import { plainLine } from "../../terminal/table.ts";

export interface AccessTarget {
  organization: Organization;
  /** The folders of the organization that the caller can see. */
  folders: FolderPayload[];
  named: { kind: "skill"; skill: SkillPayload } | { kind: "folder"; folder: FolderPayload };
}

const question = "In which organization?";

/**
 * Finds a skill by its reference, or a folder by its path of names or slugs. A slash at the beginning or the end marks
 * a folder. Throws `E_NOT_FOUND`, or `E_AMBIGUOUS` if there are both.
 */
export async function findTarget(
  context: Context,
  client: Client,
  text: string,
  org: string | undefined,
): Promise<AccessTarget> {
  if (text.trim() === "/")
    throw invalidArgument(
      "<target>",
      "The root is not a folder: its skills are open to the roles of the organization.",
    );
  const chosen = org === undefined ? undefined : await chooseOrganization(context, client, org, question);
  const skill = /^\/|\/$/.test(text.trim()) ? undefined : await findSkill(client, text, chosen);
  const organization =
    chosen ?? (await chooseOrganization(context, client, skill?.own ? skill.tenantId : undefined, question));
  const folders = await client.folders(organization.id);
  const folder = folderAt(folders, text);
  if (skill && folder)
    throw new CliError(
      "E_AMBIGUOUS",
      `"${plainLine(text)}" is a skill and a folder. Use "${plainLine(folder.path)}/" for the folder, or ` +
        `${skill.publicId} for the skill.`,
      { ref: text },
    );
  if (folder) return { organization, folders, named: { kind: "folder", folder } };
  if (skill?.tenantId === organization.id) return { organization, folders, named: { kind: "skill", skill } };
  throw notFound(
    "folder",
    text,
    `No skill or folder "${plainLine(text)}" in ${organization.slug}, or you don't have access to it.`,
  );
}

/** A folder by its path. Throws `E_NOT_FOUND`. */
export async function findFolder(
  context: Context,
  client: Client,
  text: string,
  org: string | undefined,
): Promise<AccessTarget & { named: { kind: "folder" } }> {
  const organization = await chooseOrganization(context, client, org, question);
  const folders = await client.folders(organization.id);
  const folder = folderAt(folders, text);
  if (folder) return { organization, folders, named: { kind: "folder", folder } };
  throw notFound(
    "folder",
    text,
    `No folder "${plainLine(text)}" in ${organization.slug}, or you don't have access to it. ` +
      "List them with svc folders.",
  );
}

export interface Restriction {
  folderId: string;
  /** Absent if the caller can't see the folder. */
  path?: string;
}

/** The effective restriction of the skill or folder; null without one. */
export async function restrictionOf(
  calls: AccessCalls,
  { named, folders }: AccessTarget,
): Promise<Restriction | null> {
  const at = named.kind === "folder" ? named.folder.id : named.skill.folderId;
  if (at === null) return null;
  const { governingFolderId } = await calls.folderAccess(at);
  if (governingFolderId === null) return null;
  const path = folders.find(({ id }) => id === governingFolderId)?.path;
  return { folderId: governingFolderId, path };
}

async function findSkill(
  client: Client,
  text: string,
  organization: Organization | undefined,
): Promise<(SkillPayload & { own: boolean }) | undefined> {
  const pin = "access takes no pin: it concerns all versions.";
  const isRef = /^https?:\/\//.test(text) || /^[A-Za-z0-9._@-]+(\/[A-Za-z0-9._@-]+)?$/.test(text);
  if (!isRef) return undefined;
  const ref = parseUnpinnedRef(text, "<target>", pin);
  const refs = organization === undefined || ref.includes("/") ? [ref] : [`${organization.slug}/${ref}`, ref];
  for (const one of refs) {
    try {
      const { skill, own } = await client.find(one);
      return { ...skill, own: own ?? true };
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== "E_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

function folderAt(folders: readonly FolderPayload[], text: string): FolderPayload | undefined {
  const fold = (part: string) => part.trim().normalize("NFC").toLowerCase();
  const parts = text
    .split("/")
    .map(fold)
    .filter((part) => part !== "");
  const exact = folders.find(({ path }) => path === parts.join("/"));
  if (exact) return exact;
  let at: FolderPayload | undefined;
  for (const part of parts) {
    const parentId = at?.id ?? null;
    const inside = folders.filter((folder) => folder.parentId === parentId);
    at = inside.find(({ slug }) => slug === part) ?? inside.find(({ name }) => fold(name) === part);
    if (at === undefined) return undefined;
  }
  return at;
}
