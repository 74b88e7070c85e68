import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useRef } from "react";
import { useFilterKey } from "../filter-key.ts";

const debounceMs = 200;

interface Props {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The text filter of a list, which is applied shortly after typing. */
export function SearchField({ label, placeholder, value = "", onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const apply = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), debounceMs);
  useFilterKey(field);
  return (
    <TextInput
      ref={field}
      className="grow"
      miw={200}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} />}
      rightSection={<span className="kbd hidden-on-phones">/</span>}
      defaultValue={value}
      maxLength={200}
      onChange={(event) => apply(event.currentTarget.value)}
    />
  );
}
