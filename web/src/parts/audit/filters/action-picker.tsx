import { MultiSelect, type ComboboxItem, type ComboboxParsedItem, type OptionsFilter } from "@mantine/core";
import type { Ref } from "react";
import { eventGroups, eventTexts } from "../text/event-texts.ts";

interface Props {
  field: Ref<HTMLInputElement>;
  /** Whether it is the log of the service, which has other events than that of an organization. */
  isService: boolean;
  /** Events and groups such as `skill.*`, separated by commas. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const serviceGroups = new Set(["user", "mfa", "skill", "skill_report", "service", "queue", "job"]);
const serviceOnly = new Set(["skill_report", "service", "queue", "job"]);

/** A choice of events by their names for people, or of all events about one kind of thing. */
export function ActionPicker({ field, isService, value, onChange }: Props) {
  const chosen = value?.split(",").map((one) => one.trim()) ?? [];
  return (
    <MultiSelect
      ref={field}
      label="Action"
      placeholder={chosen.length === 0 ? "All actions" : undefined}
      searchable
      clearable
      hidePickedOptions
      clearButtonProps={{ "aria-label": "All actions" }}
      nothingFoundMessage="No action has this name"
      maxDropdownHeight={320}
      data={isService ? serviceOptions : organizationOptions}
      value={chosen}
      filter={matchNames}
      renderOption={({ option }) => (
        <span className="event-option">
          {option.label} <span className="meta mono">{option.value}</span>
        </span>
      )}
      onChange={(next) => onChange(next.length === 0 ? undefined : next.join(","))}
    />
  );
}

const optionsOf = (isShown: (prefix: string) => boolean) =>
  eventGroups
    .filter(([prefix]) => isShown(prefix))
    .map(([prefix, title]) => ({
      group: title,
      items: [
        { value: `${prefix}.*`, label: `${title}: everything` },
        ...Object.entries(eventTexts)
          .filter(([event]) => event.startsWith(`${prefix}.`))
          .map(([event, [name]]) => ({ value: event, label: name })),
      ],
    }));
const organizationOptions = optionsOf((prefix) => !serviceOnly.has(prefix));
const serviceOptions = optionsOf((prefix) => serviceGroups.has(prefix));

/** Options whose name, or whose event, contains all words. */
const matchNames: OptionsFilter = ({ options, search }) => {
  const words = search.toLowerCase().split(/\s+/);
  const isMatch = ({ label, value }: ComboboxItem) =>
    words.every((word) => `${label} ${value}`.toLowerCase().includes(word));
  return options.flatMap<ComboboxParsedItem>((option) => {
    if (!("group" in option)) return isMatch(option) ? [option] : [];
    const items = option.items.filter(isMatch);
    return items.length > 0 ? [{ ...option, items }] : [];
  });
};
