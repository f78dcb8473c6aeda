//! A minimal HTTP server for the CGI program `git http-backend`: each request starts the
//! program, and the server streams its output to the client.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::thread;

/// Serves the repositories of a folder until the process ends; returns host and port.
pub fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let folder = folder.clone();
            thread::spawn(move || {
                if let Err(error) = handle(&stream, &folder) {
                    eprintln!("git http-backend: {error}");
                }
                let _ = stream.shutdown(Shutdown::Both);
            });
        }
    });
    address
}

/// The request line and headers.
struct Head {
    method: String,
    path: String,
    query: String,
    headers: HashMap<String, String>,
}

impl Head {
    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let first = line(reader)?;
        let mut words = first.split(' ').map(str::to_owned);
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut headers = HashMap::new();
        loop {
            let line = line(reader)?;
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        Ok(Self {
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
        })
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    fn command(&self, folder: &PathBuf) -> Command {
        let mut command = Command::new("git");
        command
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", folder)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("REMOTE_USER", "bench")
            .env("REQUEST_METHOD", &self.method)
            .env("PATH_INFO", &self.path)
            .env("QUERY_STRING", &self.query)
            .env("CONTENT_TYPE", self.header("content-type"))
            .env("HTTP_CONTENT_ENCODING", self.header("content-encoding"))
            .env("GIT_PROTOCOL", self.header("git-protocol"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        if let Some(length) = self.headers.get("content-length") {
            command.env("CONTENT_LENGTH", length);
        }
        command
    }
}

fn handle(stream: &TcpStream, folder: &PathBuf) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let head = Head::read(&mut reader)?;
    if head.method.is_empty() {
        return Ok(());
    }
    let mut writer = stream;
    if head.header("expect") == "100-continue" {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut child = head.command(folder).spawn()?;
    let input = child.stdin.take().unwrap();
    let feeding = thread::spawn(move || feed(&head, &mut reader, input));
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut status = "200 OK".to_owned();
    let mut headers = String::new();
    loop {
        let line = line(&mut output)?;
        match line.split_once(": ") {
            Some(("Status", words)) => status = words.to_owned(),
            Some(_) => headers += &format!("{line}\r\n"),
            None => break,
        }
    }
    write!(
        writer,
        "HTTP/1.1 {status}\r\n{headers}Connection: close\r\n\r\n"
    )?;
    io::copy(&mut output, &mut writer)?;
    child.wait()?;
    feeding.join().unwrap()
}

/// Writes the request body to the program's input.
fn feed(head: &Head, reader: &mut impl BufRead, mut input: ChildStdin) -> io::Result<()> {
    if head.header("transfer-encoding") == "chunked" {
        loop {
            let length = u64::from_str_radix(&line(reader)?, 16).map_err(io::Error::other)?;
            if length == 0 {
                return Ok(());
            }
            io::copy(&mut reader.take(length), &mut input)?;
            line(reader)?;
        }
    }
    let length = head.header("content-length").parse().unwrap_or(0);
    io::copy(&mut reader.take(length), &mut input)?;
    Ok(())
}

/// Reads a line without its line ending.
fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
