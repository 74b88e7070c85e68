/** Base 85 in the alphabet of Git's binary patches. */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Four bytes become five characters; missing bytes at the end count as zero. */
export function encodeBase85(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let offset = 0; offset < 4; offset++) value = value * 256 + (bytes[at + offset] ?? 0);
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = alphabet[value % 85]! + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
