import { ActionIcon, Tooltip } from "@mantine/core";
import { Pin as PinIcon, PinOff } from "lucide-react";
import { usePins, type Pin } from "../../../parts/page/sidebar-state.ts";

/** Pins a folder or skill to the top of the sidebar, or removes it from there. */
export function PinToggle({ org, pin, name }: { org: string; pin: Pin; name: string }) {
  const { isPinned, toggle } = usePins(org);
  const isOn = isPinned(pin);
  return (
    <Tooltip label={isOn ? "Remove from the sidebar" : "Pin to the sidebar"}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Pin ${name} to the sidebar`}
        aria-pressed={isOn}
        onClick={() => toggle(pin)}
      >
        {isOn ? <PinOff size={16} /> : <PinIcon size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
