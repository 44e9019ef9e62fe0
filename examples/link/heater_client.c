/* A program that takes part in a co-simulation as a subsystem, in plain C: heater_client HOST PORT TOKEN
 *
 *     cc -o heater_client heater_client.c
 */
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELLO = 1, WELCOME = 2, PORTS = 3, START = 4, STEP = 6, REPLY = 9, BYE = 23 };
enum { MOST = 64 }; /* doubles that a frame for this small model can hold */

static int link_to(const char* host, const char* port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  int end = socket(found->ai_family, SOCK_STREAM, 0);
  if (connect(end, found->ai_addr, found->ai_addrlen) != 0) return -1;
  freeaddrinfo(found);
  return end;
}

static void transfer(int end, void* data, size_t size, int sending) {
  char* at = data;
  while (size > 0) {
    ssize_t done = sending ? write(end, at, size) : read(end, at, size);
    if (done <= 0) exit(1); /* the master is gone */
    at += done;
    size -= (size_t)done;
  }
}

/* A frame: number of bytes that follow, kind, bytes; all numbers are little-endian. Send it in one piece: TCP would
 * delay a second piece until the first is acknowledged, 40 ms later. */
static void send_frame(int end, uint32_t kind, const void* data, uint32_t size) {
  char frame[8 + MOST * sizeof(double)];
  uint32_t header[2] = {size, kind};
  memcpy(frame, header, sizeof header);
  memcpy(frame + sizeof header, data, size);
  transfer(end, frame, sizeof header + size, 1);
}

static uint32_t receive_frame(int end, double* numbers) {
  uint32_t header[2];
  transfer(end, header, sizeof header, 0);
  if (header[0] > MOST * sizeof(double)) exit(1);
  transfer(end, numbers, header[0], 0);
  return header[1];
}

int main(int count, char** arguments) {
  int end = count == 4 ? link_to(arguments[1], arguments[2]) : -1;
  if (end < 0) return fprintf(stderr, "usage: heater_client HOST PORT TOKEN, with a master that listens there\n"), 2;
  char hello[256];
  const char ports[] = "name\theater\ninput\tpower\t1\tW\noutput\ttemperature\t1\tK\n";
  double numbers[MOST], temperature = 293.0;
  snprintf(hello, sizeof hello, "counterpoint-link 1 %s", arguments[3]);
  send_frame(end, HELLO, hello, (uint32_t)strlen(hello));
  if (receive_frame(end, numbers) != WELCOME) return fprintf(stderr, "refused\n"), 1;
  send_frame(end, PORTS, ports, sizeof ports - 1);
  for (uint32_t kind; (kind = receive_frame(end, numbers)) != BYE;) {
    double t = numbers[0], t_end = numbers[1], power = numbers[5];
    if (kind == START) temperature = 293.0;
    if (kind == STEP) temperature += (t_end - t) * (power - 2.0 * (temperature - 293.0)) / 500.0;
    double reply[4] = {t_end, 0.0, 0.0, temperature};
    send_frame(end, REPLY, reply, sizeof reply);
  }
  close(end);
  return 0;
}
