import { Modal, Switch, Table } from "@mantine/core";
import { useState } from "react";
import { areKeysOn, setKeysOn } from "../../parts/keys.ts";

const keys = [
  ["Ctrl K", "search or jump to"],
  ["/", "filter the list, or search"],
  ["g h", "Home"],
  ["g e", "Explore"],
  ["g l", "Library"],
  ["g p", "People"],
  ["g s", "Sync"],
  ["g a", "Audit log"],
  ["c", "publish a skill"],
  ["e", "edit this skill"],
  ["t", "files of this skill"],
  ["v", "versions of this skill"],
  ["m", "move the chosen item of the library"],
  ["d", "compare with the previous version"],
  ["y", "put the exact version into the address"],
  ["j k", "next and previous item of a list"],
  ["n p", "next and previous change of a comparison"],
  ["f", "filter the files of a comparison"],
  ["v", "in a comparison: mark the file as viewed"],
  ["Enter", "open the item"],
  ["?", "this list"],
] as const;

/** The keys of all pages, and the switch that turns single letters off. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areKeysOn);
  const change = (on: boolean) => {
    setKeysOn(on);
    setOn(on);
  };
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Table>
        <Table.Caption>Single letters work outside of fields and dialogs.</Table.Caption>
        <Table.Tbody>
          {keys.map(([key, effect]) => (
            <Table.Tr key={effect}>
              <Table.Td>
                <kbd className="kbd">{key}</kbd>
              </Table.Td>
              <Table.Td>{effect}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        mt="md"
        label="Single-letter shortcuts"
        checked={isOn}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    </Modal>
  );
}
