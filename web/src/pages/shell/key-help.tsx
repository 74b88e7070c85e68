import { Modal, Switch, Table } from "@mantine/core";
import { useState } from "react";
import { areKeysOn, setKeysOn } from "../../parts/keys.ts";
import "./key-help.css";

const groups = [
  [
    "All pages",
    [
      ["Ctrl K", "search or jump to"],
      ["/", "filter the list, or search"],
      ["g h", "Home"],
      ["g e", "Explore"],
      ["g l", "Library"],
      ["g p", "People"],
      ["g s", "Sync"],
      ["g a", "Audit log"],
      ["c", "publish a skill"],
      ["?", "this list"],
    ],
  ],
  [
    "Lists",
    [
      ["j k", "next and previous item"],
      ["Enter", "open the item"],
      ["x", "select the chosen skill of the library"],
      ["m", "move the chosen item of the library"],
      ["z", "undo the change of the library that is reported"],
    ],
  ],
  [
    "Skill",
    [
      ["e", "edit"],
      ["t", "files"],
      ["v", "versions"],
      ["d", "compare with the previous version"],
      ["y", "put the exact version into the address"],
    ],
  ],
  [
    "Comparison",
    [
      ["n p", "next and previous change"],
      ["f", "filter the files"],
      ["v", "mark the file as viewed"],
    ],
  ],
] as const;

/** The keys of all pages, and the switch that turns single letters off. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areKeysOn);
  const change = (on: boolean) => {
    setKeysOn(on);
    setOn(on);
  };
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="xl">
      {/* The focus is on the list: the arrow keys scroll it. */}
      <div className="key-help" role="group" aria-label="Keys" tabIndex={0} data-autofocus>
        <div>
          {groups.map(([title, keys]) => (
            <Table key={title} verticalSpacing={4}>
              <Table.Caption>{title}</Table.Caption>
              <Table.Tbody>
                {keys.map(([key, effect]) => (
                  <Table.Tr key={effect}>
                    <Table.Th scope="row">
                      <kbd className="kbd">{key}</kbd>
                    </Table.Th>
                    <Table.Td>{effect}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          ))}
        </div>
      </div>
      <Switch
        mt="md"
        label="Single-letter shortcuts"
        description="They work outside of fields and dialogs."
        checked={isOn}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    </Modal>
  );
}
