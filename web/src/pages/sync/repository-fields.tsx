import { PasswordInput, TextInput } from "@mantine/core";
import type { Draft } from "./draft.ts";

interface Props {
  draft: Draft;
  /** Problems that the service found, by the names of fields. */
  fields: Record<string, string>;
  onChange: (part: Partial<Draft>) => void;
}

/** The address of the repository, the credentials that the host needs, and the branch. */
export function RepositoryFields({ draft, fields, onChange }: Props) {
  const text = (name: "repository" | "url" | "branch" | "token" | "username" | "password") => ({
    value: draft[name] ?? "",
    error: fields[name],
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      {draft.host === "local" ? (
        <>
          <TextInput
            label="Repository"
            description="The https address of a repository on any Git server, or the name of one on this service's machine"
            required
            {...text("url")}
          />
          <TextInput label="User name" description="If the server asks for one" {...text("username")} />
          <PasswordInput label="Password or token" description="Stored encrypted" {...text("password")} />
        </>
      ) : (
        <TextInput
          label="Repository"
          description="As owner/name"
          placeholder="acme/skills"
          required
          {...text("repository")}
        />
      )}
      {draft.host === "github-token" && (
        <PasswordInput
          label="Fine-grained token"
          description="For this repository, with Contents and Webhooks: read and write; for pull requests also Pull requests: read and write. Stored encrypted"
          required
          {...text("token")}
        />
      )}
      <TextInput label="Branch" description="Empty for the repository's default branch" {...text("branch")} />
    </>
  );
}
