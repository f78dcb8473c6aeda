// Sets the version and the platform packages in package.json, and creates the package with the
// binary for a platform.
//
//   node stage.js VERSION PLATFORM BINARY FOLDER
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [version, platform, binary, folder] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

const platforms = read(new URL("./platforms.json", import.meta.url));
const main = join(folder, "forgewright", "package.json");
const optionalDependencies = Object.fromEntries(Object.keys(platforms).map((name) => [name, version]));
write(main, { ...read(main), version, optionalDependencies });

const name = `forgewright-${platform}`;
if (!platforms[name]) throw new Error(`platforms.json does not list ${name}`);
const bin = join(folder, name, "bin");
mkdirSync(bin, { recursive: true });
copyFileSync(binary, join(bin, "forgewright"));
chmodSync(join(bin, "forgewright"), 0o755);
const description = `The binary of forgewright for ${platform}`;
const { license, repository, engines } = read(main);
write(join(folder, name, "package.json"), { name, version, description, license, repository, engines, ...platforms[name], files: ["bin", "THIRD-PARTY-NOTICES.txt"] });
