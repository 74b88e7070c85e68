import "@mantine/notifications/styles.layer.css";
import { Notifications } from "@mantine/notifications";

/** Messages about events elsewhere, and about what can be undone. Errors are shown where they occur. */
export function Notices() {
  return <Notifications position="bottom-right" autoClose={5000} role="status" />;
}
