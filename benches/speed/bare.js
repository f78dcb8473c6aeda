// The bare Node server: it serves recorded responses from memory and does nothing else.
const http = require("node:http");
const fs = require("node:fs");

const responses = new Map();
for (const [name, recorded] of Object.entries(JSON.parse(fs.readFileSync(process.argv[2], "utf8")))) {
  const body = Buffer.from(recorded.body);
  const headers = Object.fromEntries(recorded.headers);
  if (recorded.status !== 304) headers["content-length"] = body.length;
  responses.set(`/${name}`, { status: recorded.status, headers, body });
}

const server = http.createServer((request, response) => {
  const recorded = responses.get(request.url);
  if (!recorded) {
    response.writeHead(404);
    response.end();
    return;
  }
  if (request.method !== "GET") request.resume();
  response.writeHead(recorded.status, recorded.headers);
  response.end(recorded.body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`  API   http://127.0.0.1:${server.address().port}/`);
});
