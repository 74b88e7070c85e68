import { Textarea, TextInput } from "@mantine/core";
import { limits } from "../../../../contract/limits.ts";
import { fieldError } from "../../parts/forms/form.tsx";

interface Texts {
  name: string;
  description: string;
}

interface Props {
  draft: Texts;
  error: unknown;
  isFocused?: boolean;
  onChange: (part: Partial<Texts>) => void;
}

/** Name and description of a collection; the description is one line. */
export function TextFields({ draft, error, isFocused, onChange }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        data-autofocus={isFocused}
        required
        maxLength={limits.collectionName}
        value={draft.name}
        error={fieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxLength={limits.collectionDescription}
        value={draft.description}
        error={fieldError(error, "description")}
        onChange={(event) =>
          onChange({ description: event.currentTarget.value.replaceAll(/\s*\n\s*/g, " ") })
        }
      />
    </>
  );
}
