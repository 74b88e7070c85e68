import { Button, Menu } from "@mantine/core";
import { Download } from "lucide-react";

/** Downloads of a log with its current filter. */
export function ExportMenu({ addressOf }: { addressOf: (format: "csv" | "json") => string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<Download size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(["csv", "json"] as const).map((format) => (
          <Menu.Item key={format} component="a" href={addressOf(format)} download>
            All that match, as {format.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
